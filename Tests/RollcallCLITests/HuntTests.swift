import Testing

/// Sessions in which something was done on purpose, so that the true cause is known. See the README
/// of `Fixtures/hunts`.
@Suite("Hunts for a known cause") struct HuntTests {
  @Test("The cause is named, and nothing is said that is not so", arguments: HuntCase.all)
  func cause(_ hunt: HuntCase) throws {
    #expect(try HuntRun(hunt).faults.isEmpty)
  }

  @Test("The hunts are found") func exist() {
    #expect(HuntCase.all.count >= 10)
  }
}
