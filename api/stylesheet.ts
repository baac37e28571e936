/** The look of our own pages: on screens light or dark as the reader likes it, on paper light. */
export const stylesheet = `
:root { color-scheme: light dark; --paper: #fff; --soft: #f5f7f9; --line: #d5dbe1; --text: #1b2128; --muted: #56606b;
  --link: #0a58a8; --major: #b3261e; --moderate: #8f5300; --minor: #0a58a8; --good: #1a7035; --none: #66707a }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #0e1318; --soft: #171e25; --line: #323c46; --text: #e4eaf0; --muted: #a2adb8;
    --link: #7db8f2; --major: #ff8a80; --moderate: #e5b35a; --minor: #7db8f2; --good: #63c681; --none: #98a3ad }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--text); font: 1rem/1.55 system-ui, sans-serif }
header, main, footer { max-width: 66rem; margin: 0 auto; padding: 1.5rem 1.25rem 0 }
footer { padding-bottom: 2rem; color: var(--muted); font-size: .875rem }
h1 { margin: 0; font-size: 1.9rem; line-height: 1.2; overflow-wrap: anywhere }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.3rem; line-height: 1.3 }
h3 { margin: 0 0 .25rem; font-size: 1.05rem; line-height: 1.4 }
p { margin: 0 0 .75rem; max-width: 48rem }
a { color: var(--link); text-underline-offset: .3em }
a, td, li, dd { overflow-wrap: anywhere }
code { font: .875em/1.4 ui-monospace, monospace; background: var(--soft); border-radius: .25em; padding: .1em .3em }
.centred { text-align: center; margin: 0 }
.muted { color: var(--muted) }
.notice { border-left: .3rem solid var(--moderate); background: var(--soft); padding: .75rem 1rem; max-width: none }
ul { margin: 0 0 .75rem; padding-left: 1.2rem }
.cards { display: flex; flex-wrap: wrap; gap: 1rem }
.card { flex: 1 1 17rem; border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.1rem; min-width: 0 }
main > h2:first-child { margin-top: 0 }
.card h2 { margin: 0 0 .6rem; font-size: 1rem }
.chart { display: block; width: 100%; max-width: 11rem; margin: 0 auto .6rem }
.line { max-width: none; height: 4.5rem }
.chart text { fill: var(--text); text-anchor: middle; font-family: system-ui, sans-serif }
.track { fill: none; stroke: var(--line) }
.arc, .path { fill: none; stroke: currentColor }
.path { vector-effect: non-scaling-stroke; stroke-width: 2px; stroke-linejoin: round }
.dot { stroke: currentColor; vector-effect: non-scaling-stroke; stroke-width: 8px; stroke-linecap: round }
.bar rect { fill: currentColor }
.major { color: var(--major) } .moderate { color: var(--moderate) } .minor { color: var(--minor) }
.good { color: var(--good) } .none { color: var(--none) }
.badge { border: 1px solid currentColor; border-radius: 1em; padding: 0 .6em; font-size: .8rem; white-space: nowrap }
table { width: 100%; border-collapse: collapse; margin-bottom: 1rem; font-size: .925rem }
.card table { margin: 0 }
caption { text-align: left; color: var(--muted); padding-bottom: .25rem }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line) }
tbody th { font-weight: normal }
thead th { border-top: 0; font-size: .85rem; color: var(--muted) }
.wide th code { white-space: nowrap }
tr:target { background: var(--soft); outline: .15rem solid var(--link) }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; padding: .4rem 0 .4rem .75rem }
.bars { max-width: 32rem }
.bars th { width: 1%; white-space: nowrap }
.bars th, .bars td { border: 0; padding: .15rem .6rem .15rem 0; vertical-align: middle }
.bars .number { width: 1%; padding: .15rem 0 .15rem .6rem }
.bar svg { display: block; width: 100%; height: .7rem }
.swatch { display: inline-block; width: .7rem; height: .7rem; margin-right: .4rem }
.finding { border: 1px solid var(--line); border-left: .3rem solid currentColor; border-radius: .4rem; padding: .9rem 1.1rem; margin: 0 0 .8rem }
.finding > * { color: var(--text) }
.findings { list-style: none; margin: 0; padding: 0 }
.examples { margin: .4rem 0 0; padding-left: 1.2rem; font-size: .9rem }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.25rem; margin: 0 }
.facts dt { color: var(--muted) } .facts dd { margin: 0 }
@media (max-width: 40rem) {
  .facts { grid-template-columns: 1fr } .facts dd { margin-bottom: .4rem }
  .wide thead { display: none } .wide tr { display: block; border-top: 1px solid var(--line); padding: .5rem 0 }
  .wide th, .wide td { display: block; border: 0; padding: .1rem 0; text-align: left }
  .wide td[data-label]::before { content: attr(data-label) ': '; color: var(--muted) }
}
@media print {
  @page { margin: 15mm }
  body { font-size: 10pt } header, main, footer { max-width: none; padding-left: 0; padding-right: 0 }
  .card, .finding, tr { break-inside: avoid } h2, h3 { break-after: avoid } a { color: inherit }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
`
