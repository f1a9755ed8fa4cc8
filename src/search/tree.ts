/** A stretch of a text: UTF-16 offsets, `to` exclusive. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A query as it was written. Every position refers to `text`. */
export interface Query {
  readonly text: string
  /** Undefined where the text holds nothing, or is too long to be read. */
  readonly root: Expression | undefined
  /** Where the text does not follow the grammar, in order. The tree holds all that could be read. */
  readonly faults: readonly SyntaxFault[]
}

export interface SyntaxFault extends Span {
  readonly code: SyntaxFaultCode
}

/**
 * What can be wrong with the shape of a query: an `and`, `or` or `not` with nothing beside it; a
 * parenthesis, bracket or quote that is not closed; a `)` or `]` that closes nothing; `()`; words
 * in a range that are not its ends; nesting or length past the limits of `parse.ts`; characters
 * that belong to nothing.
 */
export type SyntaxFaultCode =
  | 'dangling-operator'
  | 'unclosed-group'
  | 'unclosed-range'
  | 'unclosed-quote'
  | 'unexpected-closing'
  | 'empty-group'
  | 'range-shape'
  | 'too-deep'
  | 'too-long'
  | 'unexpected-text'

/** A part of a query that is true or false of a build. */
export type Expression = Combination | Negation | Group | Term | Flag | FreeText

/** Terms side by side, with `and` between them or nothing, or with `or` between them. Two or more. */
export interface Combination extends Span {
  readonly type: 'and' | 'or'
  readonly operands: readonly Expression[]
  /** The written operators; an `and` that is left out has none. */
  readonly operators: readonly Span[]
}

/** `-x`, `!x` and `not x`. */
export interface Negation extends Span {
  readonly type: 'not'
  readonly operator: Span & { readonly symbol: '-' | '!' | 'not' }
  readonly operand: Expression
}

/** Parentheses. */
export interface Group extends Span {
  readonly type: 'group'
  readonly inner: Expression | undefined
  readonly closed: boolean
}

/** `field:pattern`, `field>pattern`, `field:>pattern`, `field:[a to b]`. */
export interface Term extends Span {
  readonly type: 'term'
  readonly field: FieldName
  readonly operator: Operator
  readonly pattern: Word | Range | Missing
}

/** A name alone: a Boolean field that has to be true. */
export interface Flag extends Span {
  readonly type: 'flag'
  readonly field: FieldName
}

/** Something that is neither a term nor a name; the language has no full-text search. */
export interface FreeText extends Span {
  readonly type: 'free-text'
}

export interface FieldName extends Span {
  readonly name: string
}

/** Everything between the name and the pattern: `:`, `>`, `:>=`. */
export interface Operator extends Span {
  readonly symbol: ':' | '<' | '<=' | '>' | '>=' | '=' | '!='
  /** Whether a colon was written: `a:>1` and not `a>1`. */
  readonly colon: boolean
}

/** A value: a run of quoted and unquoted stretches without a space between them. */
export interface Word extends Span {
  readonly type: 'word'
  /** In order, without gaps but for quotes and escapes. Empty for `""`. */
  readonly segments: readonly Segment[]
}

/** A stretch of a value: text with its escapes resolved, or one `*`. */
export type Segment =
  | (Span & { readonly type: 'text'; readonly text: string; readonly quoted: boolean })
  | (Span & { readonly type: 'wildcard' })

/** `[low to high]`. An end that was not written is undefined. */
export interface Range extends Span {
  readonly type: 'range'
  readonly low: Word | undefined
  readonly high: Word | undefined
  /** The word `to`. */
  readonly separator: Span | undefined
  readonly closed: boolean
}

/** Nothing stands where a value has to: zero length, right behind the operator. */
export interface Missing extends Span {
  readonly type: 'missing'
}

/** The parts of an expression that hold no others, in order. */
export function leavesOf(expression: Expression | undefined): (Term | Flag | FreeText)[] {
  const leaves: (Term | Flag | FreeText)[] = []
  collect(expression, leaves)
  return leaves
}

function collect(expression: Expression | undefined, leaves: (Term | Flag | FreeText)[]): void {
  switch (expression?.type) {
    case undefined:
      return
    case 'and':
    case 'or':
      for (const operand of expression.operands) collect(operand, leaves)
      return
    case 'not':
      collect(expression.operand, leaves)
      return
    case 'group':
      collect(expression.inner, leaves)
      return
    case 'term':
    case 'flag':
    case 'free-text':
      leaves.push(expression)
  }
}

/**
 * The stretches of a text in which spaces say nothing, in order: all but values, and what could not be
 * read. None in a text that is too long: nobody knows what is quoted there.
 */
export function gapsOf({ text, root, faults }: Query): Span[] {
  if (faults.some(({ code }) => code === 'too-long')) return []
  const kept = [...faults, ...leavesOf(root).flatMap(wordsOf)].sort((a, b) => a.from - b.from)
  const gaps: Span[] = []
  let at = 0
  for (const { from, to } of [...kept, { from: text.length, to: text.length }]) {
    if (from > at) gaps.push({ from: at, to: from })
    at = Math.max(at, to)
  }
  return gaps
}

function wordsOf(part: Term | Flag | FreeText): readonly Span[] {
  if (part.type !== 'term') return [part]
  const { pattern } = part
  if (pattern.type !== 'range') return [pattern]
  return [pattern.low, pattern.high].filter((word) => word !== undefined)
}
