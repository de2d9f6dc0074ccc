import Digests
import Foundation

/// The style sheet of a report. It is part of the page, whose policy allows only this sheet, by its
/// digest.
package struct ReportStyle: Hashable, Sendable {
  /// The text of the sheet. It has no character that HTML and XML read differently.
  package let text: String

  package static let standard = ReportStyle(
    text: """
      :root{color-scheme:light dark;\(ReportPalette.light.declarations)}
      @media screen and (prefers-color-scheme:dark){:root{\(ReportPalette.dark.declarations)}}
      \(layout)\(parts)\(story)\(drawing)\(narrow)\(print)
      """)

  /// The content security policy: the page may load and run nothing except this sheet.
  package var policy: String {
    let digest = Data(Digest.sha256(Array(text.utf8))).base64EncodedString()
    return "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'none'"
  }

  private static let layout = """
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
    @media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
    body{margin:0;background:var(--paper);color:var(--ink);
    font:.94rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","PingFang SC",
    "Noto Sans CJK SC","Microsoft YaHei",sans-serif}
    code,pre,.number,.clock{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,
    "DejaVu Sans Mono","Noto Sans Mono CJK SC",monospace}
    code,.number,.clock{font-size:.88em}
    .number,.clock,dd,td{font-variant-numeric:tabular-nums}
    .top,main,footer{max-width:62rem;margin:0 auto;padding:0 1.5rem}
    .top{padding-top:2.5rem}
    h1{font-size:1.85rem;line-height:1.2;font-weight:650;letter-spacing:-.015em;
    margin:.2rem 0 .5rem;overflow-wrap:anywhere}
    h2{font-size:1.25rem;font-weight:650;letter-spacing:-.01em;margin:0 0 1rem}
    h3{font-size:.95rem;font-weight:650;margin:0}
    h4{font-size:1rem;font-weight:600;margin:0}
    p{margin:.4rem 0}
    section.part{padding:2.25rem 0 0}
    .eyebrow{margin:0;font-size:.8rem;font-weight:600;letter-spacing:.04em;color:var(--muted)}
    .lead,.faint{color:var(--muted)}
    .lead{margin:0}
    a{color:var(--accent);text-underline-offset:.15em;text-decoration-thickness:1px}
    a:hover{text-decoration-thickness:2px}
    :focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
    .skip{position:absolute;left:-999rem}
    .skip:focus{left:1rem;top:1rem;padding:.4rem .8rem;background:var(--panel);z-index:1}
    nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.3rem;list-style:none;margin:1.1rem 0 0;
    padding:.6rem 0;border-top:1px solid var(--line);border-bottom:1px solid var(--line)}
    nav a{text-decoration:none;font-weight:550}
    footer{margin-top:3rem;padding-top:1rem;padding-bottom:3rem;color:var(--muted);font-size:.87rem}
    footer p{max-width:46rem}

    """

  private static let parts = """
    .facts{display:grid;grid-template-columns:repeat(6,1fr);gap:1px;margin:0;
    background:var(--line);border:1px solid var(--line);border-radius:8px;overflow:hidden}
    .facts div{background:var(--paper);padding:.8rem .95rem;display:flex;flex-direction:column}
    .facts dt{font-size:.85rem;font-weight:550}
    .facts dd{margin:0;font-size:.8rem;color:var(--muted);line-height:1.35}
    .count{display:block;font-size:1.55rem;font-weight:600;line-height:1.35;letter-spacing:-.01em;
    color:var(--ink)}
    .columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(19rem,1fr));
    gap:1.75rem 2.5rem;margin-top:1.75rem}
    .columns>div{min-width:0}
    .columns ul,.places{list-style:none;margin:.5rem 0 0;padding:0}
    .columns li{padding:.4rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
    .busy{display:grid;grid-template-columns:minmax(0,1fr) 5.5rem 3.2rem;gap:.7rem;
    align-items:center}
    .columns h3:not(:first-child){margin-top:1.75rem}
    .first{display:flex;gap:.6rem;align-items:baseline}
    .first .faint{margin-left:auto;white-space:nowrap}
    .first .badge{min-width:4.6rem;text-align:center}
    .waiting{display:flex;flex-wrap:wrap;gap:0 .6rem;justify-content:space-between}
    .busy svg{width:100%;height:6px;background:var(--panel);border-radius:3px;display:block}
    .busy rect{fill:var(--accent)}
    .busy .number{text-align:right}
    .who{display:block;overflow-wrap:anywhere}
    .who .faint{display:block;font-size:.85rem}
    .badge{display:inline-block;font-size:.75rem;font-weight:650;line-height:1;padding:.28em .55em;
    border-radius:4px;vertical-align:.1em;white-space:nowrap}
    .badge.error{color:var(--error);background:var(--error-tint)}
    .badge.warning{color:var(--warning);background:var(--warning-tint)}
    .badge.info{color:var(--info);background:var(--info-tint)}
    .finding{border:1px solid var(--line);border-left-width:4px;border-radius:6px;
    padding:1rem 1.2rem;margin:0 0 1rem}
    .finding.error{border-left-color:var(--error-mark)}
    .finding.warning{border-left-color:var(--warning-mark)}
    .finding.info{border-left-color:var(--info-mark)}
    .finding header{display:flex;flex-wrap:wrap;gap:.35rem .7rem;align-items:baseline}
    .places li{display:grid;grid-template-columns:6.6rem minmax(0,1fr);gap:.8rem;padding:.35rem 0;
    overflow-wrap:anywhere}
    .places a,.places .clock{display:block}
    .guide{margin:.75rem 0 0;padding:.8rem 0 0;border-top:1px solid var(--line);display:grid;
    grid-template-columns:6.6rem minmax(0,1fr);gap:.4rem .8rem;font-size:.93rem}
    .guide dt{color:var(--muted)}
    .guide dd{margin:0;overflow-wrap:anywhere}
    .note{color:var(--muted);font-size:.9rem}
    .scroll{overflow-x:auto}
    table{border-collapse:collapse;width:100%;font-size:.9rem}
    th,td{text-align:left;padding:.4rem .9rem .4rem 0;border-top:1px solid var(--line);
    vertical-align:top;overflow-wrap:anywhere}
    thead th{color:var(--muted);font-weight:550;border-top:0}

    """

  private static let story = """
    .filter{border:0;margin:0 0 1rem;padding:0;display:flex;flex-wrap:wrap;gap:.3rem;
    align-items:center}
    .filter legend{float:left;padding:0;margin-right:.5rem;color:var(--muted)}
    .filter input{position:absolute;opacity:0;pointer-events:none}
    .filter label{padding:.22rem .75rem;border:1px solid var(--line);border-radius:99px;
    cursor:pointer;font-size:.88rem}
    .filter input:checked+label{background:var(--accent);border-color:var(--accent);
    color:var(--paper)}
    .filter input:focus-visible+label{outline:2px solid var(--accent);outline-offset:2px}
    main:has(#show-odd:checked) .entry:not(.odd),
    main:has(#show-odd:checked) .day:not(:has(.odd)),
    main:has(#show-lasting:checked) .burst{display:none}
    .day h3{position:sticky;top:0;z-index:1;background:var(--paper);padding:.55rem 0;
    border-bottom:1px solid var(--line);font-size:.95rem}
    .day ol{list-style:none;margin:0 0 1.4rem;padding:0}
    .entry{display:grid;grid-template-columns:4.6rem 6.6rem 1rem minmax(0,1fr);gap:0 .6rem;
    padding:.42rem .5rem;border-bottom:1px solid var(--line);content-visibility:auto;
    contain-intrinsic-size:auto 3.6rem;scroll-margin-top:3rem}
    .entry:target{background:var(--panel);box-shadow:inset 3px 0 var(--accent)}
    .entry>div{min-width:0;overflow-wrap:anywhere}
    .entry.burst{color:var(--muted)}
    .number,.clock,.arrow{color:var(--muted);line-height:1.72}
    .number a{color:inherit;text-decoration:none}
    .arrow{text-align:center}
    .changes{list-style:none;margin:.1rem 0 0;padding:0;font-size:.93rem}
    .changes li{padding-left:1.1em;text-indent:-1.1em}
    .changes .sign{display:inline-block;width:1.1em;text-indent:0;font-weight:650}
    .came .sign{color:var(--came)}
    .went .sign{color:var(--went)}
    .changed .sign{color:var(--changed)}
    .told{margin:.3rem 0;padding:.3rem .6rem;border-radius:4px;font-size:.93rem}
    .told .badge{padding-left:0}
    .told.error{background:var(--error-tint)}
    .told.warning{background:var(--warning-tint)}
    .told.info{background:var(--info-tint)}
    details{margin:.15rem 0 0}
    summary{cursor:pointer;width:fit-content;font-size:.82rem;color:var(--muted)}
    summary:hover{color:var(--accent)}
    .entry{position:relative}
    .entry>div>:not(details){margin-right:3.6rem}
    .entry .xml,.meaning{margin:0}
    .entry summary{position:absolute;top:.5rem;right:.5rem}
    .entry pre:first-of-type{margin-top:.5rem}
    .of{margin:.5rem 0 -.2rem;font-size:.8rem;color:var(--muted)}
    pre{margin:.35rem 0 .5rem;padding:.7rem .85rem;background:var(--panel);border-radius:6px;
    overflow-x:auto;font-size:.8rem;line-height:1.5;max-height:32rem;tab-size:2;
    white-space:pre-wrap;overflow-wrap:anywhere;color:var(--ink)}

    """

  private static let drawing = """
    figure{margin:0}
    .picture{display:block;width:100%;min-width:42rem;height:auto;font-size:12px}
    .picture text{fill:var(--ink)}
    .picture .faint,.tick text{fill:var(--muted);font-size:11px}
    .tick path,.rail,.base{stroke:var(--line);fill:none}
    .tick path{stroke-dasharray:2 3}
    .open{fill:var(--lane);rx:2px}
    .presence{fill:var(--lane)}
    .others{fill:var(--accent)}
    .mark path{stroke:var(--paper);stroke-width:1.5px}
    .mark.error path{fill:var(--error-mark)}
    .mark.warning path{fill:var(--warning-mark)}
    .mark.info path{fill:var(--info-mark)}
    .mark.request path{fill:var(--paper);stroke:var(--request);stroke-width:2px}
    .mark:hover path{stroke:var(--ink)}
    figcaption ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;margin:.6rem 0 0;
    padding:0;font-size:.85rem;color:var(--muted)}
    .key{width:14px;height:14px;vertical-align:-2px;margin-right:.35rem}

    """

  private static let narrow = """
    @media (max-width:60rem){.facts{grid-template-columns:repeat(3,1fr)}}
    @media (max-width:40rem){
    body{font-size:.91rem}
    .top,main,footer{padding-left:1rem;padding-right:1rem}
    .top{padding-top:1.5rem}
    h1{font-size:1.45rem}
    .facts{grid-template-columns:repeat(2,1fr)}
    .count{font-size:1.3rem}
    .columns{grid-template-columns:minmax(0,1fr)}
    .places li,.guide{grid-template-columns:minmax(0,1fr);gap:.1rem}
    .places a,.places .clock{display:inline;margin-right:.6rem}
    .guide dd{margin-bottom:.4rem}
    .entry{grid-template-columns:auto auto 1rem 1fr;padding:.5rem 0}
    .entry>div{grid-column:1/-1}
    .entry>div>:not(details){margin-right:0}
    }

    """

  private static let print = """
    @media print{
    :root{color-scheme:light}
    @page{margin:16mm 14mm}
    html{font-size:9.5pt}
    body{font-size:1rem}
    .entry>div>:not(details){margin-right:0}
    .top,main,footer{max-width:none;padding:0}
    nav,.skip,.filter,.xml{display:none}
    .scroll{overflow:visible}
    .picture{min-width:0}
    .facts,.facts div{background:none}
    .entry{content-visibility:visible;padding:.25rem 0}
    .day h3{position:static}
    .entry,.finding,.facts,figure,tr{break-inside:avoid}
    h2,h3,.finding header{break-after:avoid}
    .finding,.badge,.told,.picture{print-color-adjust:exact;-webkit-print-color-adjust:exact}
    .paper{display:block}
    a{color:inherit;text-decoration:none}
    }
    @media not print{.paper{display:none}}

    """
}
