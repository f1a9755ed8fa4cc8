import { isWordAt, type TextEdit } from './diagnostic.ts'
import { gapBehind, inParentheses } from './format.ts'
import { parse } from './parse.ts'
import type { Combination, Expression, Flag, Group, Negation, Query, Span, Term } from './tree.ts'

/** One of the parts of a query that must all be true. `from` and `to` take in its negations. */
export type ChipTerm = Span &
  (
    | { readonly type: 'term'; readonly negated: boolean; readonly part: Term | Flag }
    /** Alternatives, and whatever else is not a single term: to be shown as it stands. */
    | { readonly type: 'other'; readonly part: Expression }
  )

/** The parts that must all be true, in order. */
export function termsOf({ root }: Query): ChipTerm[] {
  if (!root) return []
  return (root.type === 'and' ? root.operands : [root]).map(chipOf)
}

function chipOf(whole: Expression): ChipTerm {
  const { from, to } = whole
  let part = whole
  let negated = false
  for (;;) {
    if (part.type === 'not') {
      negated = !negated
      part = part.operand
    } else if (part.type === 'group' && part.inner) part = part.inner
    else break
  }
  if (part.type === 'term' || part.type === 'flag') return { type: 'term', from, to, negated, part }
  return { type: 'other', from, to, part: whole }
}

/**
 * Demands one term more, at the end; before everything else where the end is open, such as in a group
 * that is not closed. Alternatives, old and new, get the parentheses that they then need.
 */
export function addTerm(query: Query, term: string): TextEdit[] {
  const { root, text } = query
  // Operators with nothing beside them must not get hold of the new term.
  if (!root) return [{ from: 0, to: 0, insert: text.trim() === '' ? term : `${term} ` }]
  const added = parse(term).root?.type === 'or' ? inParentheses(term) : term
  const isWrapped = root.type === 'or'
  const open = isWrapped ? '(' : ''
  const close = isWrapped ? `${gapBehind(text.slice(0, root.to))})` : ''
  const joint = spellsAnd(root) ? ' and ' : ' '
  if (hasOpenEnd(query, root)) {
    const gap = isWordAt(text, root.from - 1) ? ' ' : ''
    const before = { from: root.from, to: root.from, insert: gap + added + joint + open }
    return isWrapped ? [before, { from: root.to, to: root.to, insert: close }] : [before]
  }
  const behind = { from: root.to, to: root.to, insert: close + joint + added }
  return isWrapped ? [{ from: root.from, to: root.from, insert: open }, behind] : [behind]
}

function spellsAnd(root: Expression): boolean {
  return root.type === 'and' && root.operators.length === root.operands.length - 1
}

function hasOpenEnd({ faults }: Query, root: Expression): boolean {
  return faults.some(({ code, from }) => code.startsWith('unclosed') || from >= root.to)
}

/** Takes out the part at exactly `span` with its operator, negations and parentheses; none where no part is there. */
export function removePart({ text, root }: Query, span: Span): TextEdit[] {
  const path = pathTo(root, span)
  if (!path) return []
  let { part } = path
  for (const container of path.around.toReversed()) {
    if (container.type === 'and' || container.type === 'or')
      return removeOperand(text, container, part)
    part = container
  }
  return [{ from: part.from, to: part.to, insert: '' }]
}

function removeOperand(text: string, { operands }: Combination, part: Expression): TextEdit[] {
  const index = operands.indexOf(part)
  const before = operands[index - 1]
  if (before) {
    const gap = isWordAt(text, part.to) ? ' ' : gapBehind(text.slice(before.from, before.to))
    return [{ from: before.to, to: part.to, insert: gap }]
  }
  return [{ from: part.from, to: operands[1]?.from ?? part.to, insert: '' }]
}

type Container = Combination | Negation | Group

/** The part that stands exactly at `span`, and from the root inwards what it stands in; undefined where none does. */
export function pathTo(
  root: Expression | undefined,
  span: Span,
): { readonly around: readonly Container[]; readonly part: Expression } | undefined {
  const around: Container[] = []
  let part = root
  while (part) {
    if (part.from === span.from && part.to === span.to) return { around, part }
    if (part.type === 'term' || part.type === 'flag' || part.type === 'free-text') return undefined
    around.push(part)
    part = childrenOf(part).find(({ from, to }) => from <= span.from && span.to <= to)
  }
  return undefined
}

function childrenOf(part: Container): readonly Expression[] {
  switch (part.type) {
    case 'and':
    case 'or':
      return part.operands
    case 'not':
      return [part.operand]
    case 'group':
      return part.inner ? [part.inner] : []
  }
}
