const longest = 200

/**
 * The first sentence of a Markdown text as plain words, at most 200 characters: for places where one
 * line must do. Code blocks, headings and marks are left out; empty where nothing is left.
 */
export function plainSentence(markdown: string): string {
  const paragraph = markdown
    .slice(0, 4000)
    .replace(/(```|~~~)[\s\S]*?(?:\1|$)/g, '\n')
    .split(/\r?\n/)
    .map((line) => line.trim().replace(/^(?:#{1,6}\s.*|>+\s?|[-*+]\s+|\d{1,6}[.)]\s+)/, ''))
    .find((line) => line !== '' && !/^[-*_=|: ]+$/.test(line))
  const words = (paragraph ?? '')
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/!?\[([^\]]{0,300})\]\([^)]{0,2000}\)/g, '$1')
    .replace(/(\*\*|__|`)(?=\S)(.{1,500}?)\1/g, '$2')
    .replace(/\s+/g, ' ')
    .trim()
  // A full stop inside a name or a version is followed by no space.
  const sentence = /^.+?[.!?](?=\s+\p{Lu})/u.exec(words)?.[0] ?? words
  return sentence.length > longest ? `${sentence.slice(0, longest - 1).trimEnd()}…` : sentence
}
