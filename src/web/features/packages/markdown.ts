import { type MarkdownSpan, readSpans } from './markdown-spans.ts'

/** A part of a Markdown text that stands by itself. */
export type MarkdownBlock =
  | { readonly is: 'paragraph' | 'heading'; readonly spans: readonly MarkdownSpan[] }
  | { readonly is: 'code'; readonly text: string }
  | { readonly is: 'quote'; readonly blocks: readonly MarkdownBlock[] }
  | {
      readonly is: 'list'
      /** The first number; undefined for bullets. */
      readonly start: number | undefined
      readonly items: readonly (readonly MarkdownBlock[])[]
    }
  | { readonly is: 'rule' }

const longest = 20_000
const deepest = 4

/**
 * Reads the part of Markdown that instructions are written in: paragraphs, headings, lists, code,
 * quotes, emphasis and links. The text is a stranger's: HTML stays text, pictures are named and never
 * fetched, and what would hide or turn letters around is taken out. Never throws; in linear time.
 */
export function readMarkdown(text: string): readonly MarkdownBlock[] {
  const cut = text.length > longest ? `${text.slice(0, longest)} …` : text
  return readBlocks(
    withoutInvisible(cut)
      .replaceAll('\t', '    ')
      .split(/\r\n?|\n/),
    0,
  )
}

/** Controls, direction marks and characters without width; line breaks and tabs stay. */
function withoutInvisible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (char) => ('\n\r\t'.includes(char) ? char : ''))
}

function readBlocks(lines: readonly string[], depth: number): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = []
  let paragraph: string[] = []
  const flush = (): void => {
    if (paragraph.length > 0)
      blocks.push({ is: 'paragraph', spans: readSpans(paragraph.join('\n').trimEnd()) })
    paragraph = []
  }
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? ''
    const found = depth < deepest ? readBlock(lines, at, depth) : undefined
    if (found !== undefined) {
      flush()
      blocks.push(found.block)
      at = found.next
      continue
    }
    if (line.trim() === '') flush()
    else paragraph.push(line.trimStart())
    at += 1
  }
  flush()
  return blocks
}

interface Found {
  readonly block: MarkdownBlock
  /** The line behind it. */
  readonly next: number
}

function readBlock(lines: readonly string[], at: number, depth: number): Found | undefined {
  const line = lines[at] ?? ''
  const start = line.trimStart()
  if (start.startsWith('```') || start.startsWith('~~~')) return codeBlock(lines, at)
  if (/^#{1,6} /.test(start)) {
    const spans = readSpans(start.slice(start.indexOf(' ')).trim())
    return { block: { is: 'heading', spans }, next: at + 1 }
  }
  if (start.startsWith('>')) {
    const quoted = runOf(lines, at, (other) => other.trimStart().startsWith('>'))
    const inner = quoted.map((other) => other.trimStart().slice(1).replace(/^ /, ''))
    return {
      block: { is: 'quote', blocks: readBlocks(inner, depth + 1) },
      next: at + quoted.length,
    }
  }
  if (/^(?:---|\*\*\*|___)$/.test(line.trim())) return { block: { is: 'rule' }, next: at + 1 }
  return listMark(line) === undefined ? undefined : listBlock(lines, at, depth)
}

function codeBlock(lines: readonly string[], at: number): Found {
  const fence = (lines[at] ?? '').trim().slice(0, 3)
  const inner = runOf(lines, at + 1, (line) => !line.trim().startsWith(fence))
  const indent = /^ */.exec(lines[at] ?? '')?.[0].length ?? 0
  const text = inner.map((line) => withoutIndent(line, indent)).join('\n')
  return { block: { is: 'code', text }, next: at + inner.length + 2 }
}

interface ListMark {
  readonly indent: number
  /** Where the text of the item begins. */
  readonly width: number
  readonly number: number | undefined
}

function listMark(line: string): ListMark | undefined {
  const [whole, space = '', mark = ''] = /^( {0,12})([-*+]|\d{1,6}[.)]) +(?=\S)/.exec(line) ?? []
  if (whole === undefined) return undefined
  const number = /^\d/.test(mark) ? Number.parseInt(mark, 10) : undefined
  return { indent: space.length, width: whole.length, number }
}

function listBlock(lines: readonly string[], at: number, depth: number): Found {
  const first = listMark(lines[at] ?? '') ?? { indent: 0, width: 2, number: undefined }
  const items: (readonly MarkdownBlock[])[] = []
  let next = at
  while (next < lines.length) {
    const mark = listMark(lines[next] ?? '')
    const isNext =
      mark?.indent === first.indent && (mark.number === undefined) === (first.number === undefined)
    if (!isNext) break
    const rest = runOf(
      lines,
      next + 1,
      (line) => line.trim() === '' || indentOf(line) > first.indent,
    )
    const body = [
      (lines[next] ?? '').slice(mark.width),
      ...rest.map((line) => withoutIndent(line, mark.width)),
    ]
    items.push(readBlocks(body, depth + 1))
    next += 1 + rest.length
  }
  return { block: { is: 'list', start: first.number, items }, next }
}

function runOf(
  lines: readonly string[],
  from: number,
  isPart: (line: string) => boolean,
): readonly string[] {
  let end = from
  while (end < lines.length && isPart(lines[end] ?? '')) end += 1
  return lines.slice(from, end)
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function withoutIndent(line: string, most: number): string {
  return line.slice(Math.min(most, indentOf(line)))
}
