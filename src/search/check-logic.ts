import { endsEscaping } from './check-faults.ts'
import { removing } from './check-words.ts'
import type { Diagnostic } from './diagnostic.ts'
import { type Place, removal } from './part-removal.ts'
import type { Combination, Negation, Span } from './tree.ts'
import { shown } from './values/reading.ts'

/** `a b or c`: two readings, of which the language has one. */
export function mixedAndOr({ operands }: Combination, text: string): Diagnostic[] {
  const loose = operands.filter(({ type }) => type === 'and')
  const [first] = loose
  if (!first) return []
  return [
    {
      from: first.from,
      to: first.to,
      severity: 'warning',
      code: 'logic.mixed-and-or',
      message:
        "and binds tighter than or, even when it's implied. Add parentheses to make the grouping clear.",
      fixes: [
        {
          label: 'Add parentheses',
          edits: loose.flatMap(({ from, to }) => [
            { from, to: from, insert: '(' },
            { from: to, to, insert: closing(text, to) },
          ]),
        },
      ],
    },
  ]
}

/** `--a`, `not -a`, `-(-a)`; `inner` is the second negation. */
export function doubleNegation(outer: Negation, inner: Negation): Diagnostic {
  return {
    from: outer.from,
    to: inner.operator.to,
    severity: 'info',
    code: 'logic.double-negation',
    message: 'Two negations cancel out. Remove both.',
    fixes: [
      {
        label: 'Remove both',
        edits: [
          { from: outer.from, to: outer.operand.from, insert: '' },
          { from: inner.from, to: inner.operand.from, insert: '' },
        ],
      },
    ],
  }
}

/** A term that was there already. */
export function duplicate(part: Span, text: string, place: Place): Diagnostic {
  return {
    from: part.from,
    to: part.to,
    severity: 'info',
    code: 'logic.duplicate-term',
    message: `${shown(text.slice(part.from, part.to))} appears twice. Remove one.`,
    fixes: [removing(part, text, place)],
  }
}

/** Two parts that are never true of the same build; the second one is at `place`. */
export function neverBoth(
  code: 'contradiction' | 'tool-conflict',
  [first, second]: readonly [Span, Span],
  text: string,
  place: Place,
  eitherMakesSense: boolean,
): Diagnostic {
  const written = text.slice(second.from, second.to)
  const names = `${shown(text.slice(first.from, first.to))} and ${shown(written)}`
  return {
    from: second.from,
    to: second.to,
    severity: 'warning',
    code: `logic.${code}`,
    message: `No build can match both ${names}. Remove one${eitherMakesSense ? ', or put or between them' : ''}.`,
    fixes: [
      ...(eitherMakesSense
        ? [
            {
              label: 'Match either',
              edits: [
                { from: first.from, to: first.from, insert: '(' },
                {
                  from: first.to,
                  to: first.to,
                  insert: ` or ${written}${closing(text, second.to)}`,
                },
                removal(place, text),
              ],
            },
          ]
        : []),
      removing(second, text, place),
    ],
  }
}

/** A parenthesis that no backslash takes for text. */
function closing(text: string, at: number): string {
  return endsEscaping(text, at) ? ' )' : ')'
}
