/// What an attachment is for a person.
package enum MediaKind: String, Sendable, CaseIterable {
  /// An image, moving or not.
  case picture
  /// Sound without a picture.
  case voice
  /// Moving pictures, with or without sound.
  case video
  /// Anything else.
  case file
}

/// A format of pictures or sound that is recognized by its bytes.
package enum MediaFormat: Sendable, CaseIterable {
  case png, jpeg, gif, webp, bmp, heic, heif, avif
  case adts, amr, amrWideband, mp3, oggAudio, wav, mp4Audio, threeGPAudio
  case oggVideo, mp4Video, threeGPVideo, quickTime

  /// What an attachment of this format is for a person.
  package var kind: MediaKind {
    switch self {
    case .png, .jpeg, .gif, .webp, .bmp, .heic, .heif, .avif: .picture
    case .adts, .amr, .amrWideband, .mp3, .oggAudio, .wav, .mp4Audio, .threeGPAudio: .voice
    case .oggVideo, .mp4Video, .threeGPVideo, .quickTime: .video
    }
  }

  /// The media type, in lowercase.
  package var mediaType: String {
    switch self {
    case .png: "image/png"
    case .jpeg: "image/jpeg"
    case .gif: "image/gif"
    case .webp: "image/webp"
    case .bmp: "image/bmp"
    case .heic: "image/heic"
    case .heif: "image/heif"
    case .avif: "image/avif"
    case .adts: "audio/aac"
    case .amr: "audio/amr"
    case .amrWideband: "audio/amr-wb"
    case .mp3: "audio/mpeg"
    case .oggAudio: "audio/ogg"
    case .wav: "audio/wav"
    case .mp4Audio: "audio/mp4"
    case .threeGPAudio: "audio/3gpp"
    case .oggVideo: "video/ogg"
    case .mp4Video: "video/mp4"
    case .threeGPVideo: "video/3gpp"
    case .quickTime: "video/quicktime"
    }
  }

  /// The extension for a file of this format, without a period: lowercase letters and digits.
  package var fileExtension: String {
    switch self {
    case .png: "png"
    case .jpeg: "jpg"
    case .gif: "gif"
    case .webp: "webp"
    case .bmp: "bmp"
    case .heic: "heic"
    case .heif: "heif"
    case .avif: "avif"
    case .adts: "aac"
    case .amr: "amr"
    case .amrWideband: "awb"
    case .mp3: "mp3"
    case .oggAudio: "ogg"
    case .wav: "wav"
    case .mp4Audio: "m4a"
    case .threeGPAudio, .threeGPVideo: "3gp"
    case .oggVideo: "ogv"
    case .mp4Video: "mp4"
    case .quickTime: "mov"
    }
  }

  /// The extension for a file of no format that is recognized.
  package static let otherFileExtension = "bin"
}
