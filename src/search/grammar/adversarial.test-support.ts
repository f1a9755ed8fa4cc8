/** What, repeated, makes careless parsers slow: nothing closes, everything looks ahead or nests. */
export const adversarial = [
  ...['(', ')', '[', ']', '()', '((a ', '-(', 'not (', '(a or b) and '],
  ...['-', '!', '- ', 'not ', 'and ', 'or ', 'a or ', 'a '],
  ...[
    '"',
    'a:"',
    'a:"a:"',
    '" ',
    'a:"b" ',
    '"a',
    'a:[" ',
    '\\',
    '\\"',
    'a:\\"',
    'a:"\\" ',
    'a:"\\\\" ',
  ],
  ...['“', '„', 'a:“ ', 'a:„ ', 'a:[„ ', '“"', 'a:“"\\'],
  ...['a:[', 'a:[1 to 2 ', 'a:[to ', 'a:[a b c ', '[[ '],
  ...['a', '*', 'a:*', 'a:b ', ':', '<', '>=', '=', 'a:', 'a-', '\u00a0', ' ', '\n', '🚀'],
]

/** A text of that many characters. */
export function repeated(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
}
