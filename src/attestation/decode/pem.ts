/** One block between BEGIN and END, with any text around it. */
export interface PemBlock {
  /** What stands after BEGIN, such as "PUBLIC KEY". */
  readonly label: string
  /** The base64 between the two lines, whitespace and all; headers of old formats left out. */
  readonly base64: string
  /** The line of BEGIN, counted from 1. */
  readonly line: number
  /** Where the block begins and ends in the text; one that is not closed goes on to the next. */
  readonly from: number
  readonly to: number
  /** Whether END of the same label was found. */
  readonly isClosed: boolean
}

/** The PEM blocks of a text (RFC 7468), whatever is around them. Linear, also where nothing is ever closed. */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = []
  let line = 1
  let counted = 0
  for (let at = text.indexOf(begin); at !== -1;) {
    const labelEnd = text.indexOf(dashes, at + begin.length)
    if (labelEnd === -1) break
    for (; counted < at; counted++) if (text[counted] === '\n') line += 1
    const label = text.slice(at + begin.length, labelEnd).trim()
    const from = labelEnd + dashes.length
    const next = text.indexOf(begin, from)
    const body = text.slice(from, next === -1 ? text.length : next)
    const end = `-----END ${label}-----`
    const close = body.indexOf(end)
    const isClosed = close !== -1
    blocks.push({
      label,
      base64: withoutHeaders(isClosed ? body.slice(0, close) : body),
      line,
      from: at,
      to: from + (isClosed ? close + end.length : body.length),
      isClosed,
    })
    at = next
  }
  return blocks
}

const begin = '-----BEGIN '
const dashes = '-----'

/** RFC 1421 headers ("Proc-Type: …") end at an empty line. */
function withoutHeaders(body: string): string {
  const lines = body.split('\n')
  return lines.filter((line) => !line.includes(':')).join('\n')
}
