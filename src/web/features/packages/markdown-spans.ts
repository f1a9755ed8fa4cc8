import { webAddress } from '../../ui/external-link.tsx'

/** A stretch of a Markdown text. */
export type MarkdownSpan =
  | { readonly is: 'text' | 'code'; readonly text: string }
  | { readonly is: 'strong' | 'emphasis'; readonly spans: readonly MarkdownSpan[] }
  | {
      readonly is: 'link'
      /** http or https, without a user in it. */
      readonly href: string
      /** Where it leads, as a browser reads it. */
      readonly host: string
      /** The text of the link; the address itself where it has none. */
      readonly text: string
    }
  | { readonly is: 'break' }

const deepest = 4
const longestLink = 2000

/** Reads emphasis, code and links. What is not closed, or leads to anything but the web, stays text. */
export function readSpans(text: string, depth = 0): readonly MarkdownSpan[] {
  const spans: MarkdownSpan[] = []
  let plain = ''
  const push = (span: MarkdownSpan): void => {
    if (plain !== '') spans.push({ is: 'text', text: plain })
    plain = ''
    spans.push(span)
  }
  for (let at = 0; at < text.length;) {
    const found = spanAt(text, at, depth)
    if (found === undefined) {
      plain += text[at] ?? ''
      at += 1
    } else if (typeof found.span === 'string') {
      plain += found.span
      at = found.next
    } else {
      push(found.span)
      at = found.next
    }
  }
  if (plain !== '') spans.push({ is: 'text', text: plain })
  return spans
}

interface Found {
  /** A string is plain text. */
  readonly span: MarkdownSpan | string
  readonly next: number
}

function spanAt(text: string, at: number, depth: number): Found | undefined {
  switch (text.charAt(at)) {
    case '\\':
      return /[\\`*_{}[\]()#+\-.!<>|~]/.test(text[at + 1] ?? '')
        ? { span: text[at + 1] ?? '', next: at + 2 }
        : undefined
    case '\n':
      // Lines belong together, unless two spaces end one.
      return { span: text.slice(0, at).endsWith('  ') ? { is: 'break' } : ' ', next: at + 1 }
    case '`':
      return code(text, at)
    case '*':
    case '_':
      return depth < deepest ? emphasis(text, at, depth) : undefined
    case '!':
      return text[at + 1] === '[' ? picture(text, at) : undefined
    case '[':
      return link(text, at)
    case '<':
      return inAngles(text, at)
    case 'h':
    case 'H':
      return bareAddress(text, at)
    default:
      return undefined
  }
}

function code(text: string, at: number): Found | undefined {
  const ticks = /^`+/.exec(text.slice(at, at + 8))?.[0] ?? '`'
  const end = text.indexOf(ticks, at + ticks.length)
  if (end === -1) return { span: ticks, next: at + ticks.length }
  const inner = text.slice(at + ticks.length, end).replaceAll('\n', ' ')
  return { span: { is: 'code', text: inner.trim() || inner }, next: end + ticks.length }
}

function emphasis(text: string, at: number, depth: number): Found | undefined {
  const mark = text[at] ?? '*'
  const fence = text[at + 1] === mark ? mark + mark : mark
  const from = at + fence.length
  const plain = { span: fence, next: from }
  // An underscore within a word is part of it.
  if (/\s|^$/.test(text[from] ?? '') || (mark === '_' && /\w/.test(text[at - 1] ?? '')))
    return plain
  const end = text.slice(from, from + longestLink).indexOf(fence)
  if (end < 1) return plain
  const inner = text.slice(from, from + end)
  const next = from + end + fence.length
  if (/\s$/.test(inner) || (mark === '_' && /\w/.test(text[next] ?? ''))) return plain
  const is = fence.length === 2 ? 'strong' : 'emphasis'
  return { span: { is, spans: readSpans(inner, depth + 1) }, next }
}

const bracketed =
  /^\[([^\][\n]{0,500})\]\(\s{0,8}<?([^\s()<>]{0,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?)>?(?:\s{1,8}["'(][^"'()\n]{0,300}["')])?\s{0,8}\)/

function link(text: string, at: number): Found | undefined {
  const [whole, label = '', address = ''] = bracketed.exec(text.slice(at, at + 4000)) ?? []
  if (whole === undefined) return undefined
  const leads = webAddress(address)
  const next = at + whole.length
  // Said as it was written, so that nobody wonders where the link went.
  if (leads === undefined) return { span: whole, next }
  const words = label.replace(/[*_`]/g, '').trim()
  return { span: { is: 'link', ...leads, text: words === '' ? leads.href : words }, next }
}

/** A picture would tell its server who looks at it: its words stand in its place. */
function picture(text: string, at: number): Found | undefined {
  const [whole, label = ''] = bracketed.exec(text.slice(at + 1, at + 4001)) ?? []
  if (whole === undefined) return undefined
  return { span: `[picture: ${label.trim() || 'without words'}]`, next: at + 1 + whole.length }
}

function inAngles(text: string, at: number): Found | undefined {
  const [whole, address = ''] =
    /^<(https?:\/\/[^\s<>]{1,2000})>/i.exec(text.slice(at, at + 2100)) ?? []
  const leads = webAddress(address)
  if (whole === undefined || leads === undefined) return undefined
  return { span: { is: 'link', ...leads, text: leads.href }, next: at + whole.length }
}

function bareAddress(text: string, at: number): Found | undefined {
  if (/\w/.test(text[at - 1] ?? '')) return undefined
  const [whole] = /^https?:\/\/[^\s<>"'`]{1,2000}/i.exec(text.slice(at, at + 2100)) ?? []
  // What ends a sentence is not part of the address.
  const address = whole?.replace(/[).,;:!?*_\]]{1,8}$/, '') ?? ''
  const leads = webAddress(address)
  if (leads === undefined) return undefined
  return { span: { is: 'link', ...leads, text: leads.href }, next: at + address.length }
}
