import { type Diagnostic, info, type Place, removal, warning } from '../diagnostic.ts'
import type { Field } from '../fields/field.ts'
import type { Combination, Flag, Negation, Span, Term, Word } from '../tree.ts'
import { shown } from '../values/reading.ts'
import { plainText } from '../values/text.ts'
import { endsEscaping } from './faults.ts'
import { removing } from './free-text.ts'

/** `a b or c`: two readings, of which the language has one. */
export function mixedAndOr({ operands }: Combination, text: string): Diagnostic[] {
  const loose = operands.filter(({ type }) => type === 'and')
  const [first] = loose
  if (!first) return []
  return [
    warning(
      first,
      'logic.mixed-and-or',
      "and binds tighter than or, even when it's implied. Add parentheses to make the grouping clear.",
      [
        {
          label: 'Add parentheses',
          edits: loose.flatMap(({ from, to }) => [
            { from, to: from, insert: '(' },
            { from: to, to, insert: closing(text, to) },
          ]),
        },
      ],
    ),
  ]
}

/** `--a`, `not -a`, `-(-a)`; `inner` is the second negation. */
export function doubleNegation(outer: Negation, inner: Negation): Diagnostic {
  return info(
    { from: outer.from, to: inner.operator.to },
    'logic.double-negation',
    'Two negations cancel out. Remove both.',
    [
      {
        label: 'Remove both',
        edits: [
          { from: outer.from, to: outer.operand.from, insert: '' },
          { from: inner.from, to: inner.operand.from, insert: '' },
        ],
      },
    ],
  )
}

/** A term that was there already. */
function duplicate(part: Span, text: string, place: Place): Diagnostic {
  return info(
    part,
    'logic.duplicate-term',
    `${shown(text.slice(part.from, part.to))} appears twice. Remove one.`,
    [removing(part, text, place)],
  )
}

/** Two parts that are never true of the same build; the second one is at `place`. */
function neverBoth(
  code: 'contradiction' | 'tool-conflict',
  [first, second]: readonly [Span, Span],
  text: string,
  place: Place,
  eitherMakesSense: boolean,
): Diagnostic {
  const written = text.slice(second.from, second.to)
  const names = `${shown(text.slice(first.from, first.to))} and ${shown(written)}`
  return warning(
    second,
    `logic.${code}`,
    `No build can match both ${names}. Remove one${eitherMakesSense ? ', or put or between them' : ''}.`,
    [
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
  )
}

/** A parenthesis that no backslash takes for text. */
function closing(text: string, at: number): string {
  return endsEscaping(text, at) ? ' )' : ')'
}

/** Terms that have to be true together, and those that all alternatives around them share. */
export interface Scope {
  readonly outer: Scope | undefined
  /** By what they say, with `-` where they are negated. */
  readonly terms: Map<string, Span>
  /** The exact text that a field with a single value has to have. */
  readonly values: Map<Field, { readonly text: string; readonly part: Span }>
  tool: { readonly name: string; readonly part: Span } | undefined
  /** The terms of the alternatives beside this one, if it is a single term. */
  readonly alternatives: Set<string> | undefined
}

export function createScope(outer?: Scope, alternatives?: Set<string>): Scope {
  return { outer, terms: new Map(), values: new Map(), tool: undefined, alternatives }
}

/** How a term stands in its query. */
export interface Standing {
  readonly text: string
  readonly place: Place
  /** The negation around it, if it is negated. */
  readonly negation: Span | undefined
}

/**
 * Puts a term into its scope, and says what it is doubtful beside: the same term, its opposite, another
 * value of the same field, a field of another tool. At most one, in constant time for each level
 * of alternatives.
 */
export function addToScope(
  scope: Scope,
  part: Term | Flag,
  field: Field,
  { text, negation, place }: Standing,
): Diagnostic | undefined {
  const negated = negation !== undefined
  const whole = negation ?? part
  const key = keyOf(part, field)
  const own = negated ? `-${key}` : key
  if (scope.terms.has(own) || scope.alternatives?.has(own)) return duplicate(whole, text, place)
  scope.terms.set(own, whole)
  scope.alternatives?.add(own)
  const opposite = find(scope, ({ terms }) => terms.get(negated ? key : `-${key}`))
  if (opposite) return neverBoth('contradiction', [opposite, whole], text, place, false)
  if (negated) return undefined

  const value = exactValue(part, field)
  if (value !== undefined) {
    const other = find(scope, ({ values }) => values.get(field))
    if (other && other.text !== value) {
      const isBeside = scope.values.get(field) === other
      return neverBoth('contradiction', [other.part, part], text, place, isBeside)
    }
    scope.values.set(field, { text: value, part })
  }
  const tool = field.tool ?? (field.name === 'buildTool' ? value : undefined)
  if (tool === undefined) return undefined
  const other = find(scope, (it) => it.tool)
  if (other && other.name !== tool) {
    return neverBoth('tool-conflict', [other.part, part], text, place, scope.tool === other)
  }
  scope.tool ??= { name: tool, part }
  return undefined
}

function find<T>(scope: Scope, look: (scope: Scope) => T | undefined): T | undefined {
  for (let at: Scope | undefined = scope; at; at = at.outer) {
    const found = look(at)
    if (found) return found
  }
  return undefined
}

/** The same for terms that say the same, letter by letter but for case. */
function keyOf(part: Term | Flag, { name }: Field): string {
  if (part.type === 'flag') return `${name}:true`
  const { operator, pattern } = part
  if (pattern.type === 'missing') return name
  const words = pattern.type === 'range' ? [pattern.low, pattern.high] : [pattern]
  return `${name}${operator.symbol}${words.map((word) => word && patternKey(word)).join('\0to')}`
}

function patternKey({ segments }: Word): string {
  let key = ''
  for (const segment of segments) key += segment.type === 'text' ? segment.text : '\0*'
  return key.toLowerCase()
}

/** Fields of which a build has several: one of them being this does not exclude another. */
function hasOneValue({ name, type }: Field): boolean {
  return (
    type === 'boolean' ||
    (type === 'text' && !/^tag$|(?:^|\.)requested|\.localIPAddress$/.test(name))
  )
}

function exactValue(part: Term | Flag, field: Field): string | undefined {
  if (!hasOneValue(field)) return undefined
  if (part.type === 'flag') return 'true'
  return part.pattern.type === 'word' ? plainText(part.pattern)?.toLowerCase() : undefined
}
