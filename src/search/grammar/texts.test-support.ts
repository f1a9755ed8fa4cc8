import fc from 'fast-check'

/** What means something in the language, and what nearly does. */
const pieces = [
  ...[
    'tag:ci',
    'project:"my app"',
    'value:"a b=c"',
    'requested:\\:app\\:b',
    'user:*',
    'a>=5',
    'a:<5',
  ],
  ...[
    'buildStartTime:[2024-01-01 to -1d]',
    'buildStartTime:2024-01-01',
    'flag',
    '!flag',
    '(a:b\\ )',
    '( a or b )',
    '-tag:x',
  ],
  ...[
    'and',
    'OR',
    'not',
    'to',
    'a:',
    'a:[',
    '[',
    ']',
    '(',
    ')',
    '((',
    '))',
    '-(',
    '-',
    '!',
    '!=',
    '=',
  ],
  ...[
    '"',
    '\\',
    '\\"',
    '“',
    '”',
    '„',
    '*',
    ':',
    '<',
    '>',
    ' ',
    '  ',
    '\n',
    '\t',
    '\u00a0',
    '🚀',
    'ö',
  ],
]

/** Texts that are like queries, with and without spaces between their pieces, and any others. */
export const anyText = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((all) => all.join(' ')),
  },
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((all) => all.join('')),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 60, unit: 'binary' }) },
)
