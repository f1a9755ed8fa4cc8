/** What stands at the top of every page that is written from the source. */
const generatedNote =
  '<!-- Written by `npm run docs` from the source. A test fails if the two differ. -->'

/** A page: its title, and what stands below it, with an empty line between any two. */
export function pageOf(title: string, ...parts: readonly string[]): string {
  return [generatedNote, `# ${title}`, ...parts].join('\n\n') + '\n'
}

/** A table of Markdown. What stands in a cell may be Markdown, too. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(inCell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A text as code, whatever characters it has. */
export function codeOf(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const mark = '`'.repeat(longest + 1)
  return longest === 0 ? `${mark}${text}${mark}` : `${mark} ${text} ${mark}`
}

/** A block of code. */
export function blockOf(language: string, text: string): string {
  return `\`\`\`${language}\n${text.replace(/\n$/, '')}\n\`\`\``
}

/** A sentence of a text that begins in lower case and has no full stop. */
export function sentenceOf(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

/** A page that people write, with one part of it written anew: what stands between two marks. */
export function generatedBlock(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: written by npm run docs -->`, `<!-- end of ${name} -->`]
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) {
    throw new Error(`The page has no place for the ${name}: ${begin} and ${end}`)
  }
  return `${before}${begin}\n\n${text}\n\n${end}${after}`
}
