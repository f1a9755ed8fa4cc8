import type { ChipTerm } from '../../../search/edit.ts'
import type { Query } from '../../../search/tree.ts'

/** A part of a query as a chip shows it: "project: checkout", "not tag: CI", "(tag:a or tag:b)". */
export function chipText({ text }: Query, chip: ChipTerm): string {
  if (chip.type === 'other') return text.slice(chip.from, chip.to).replaceAll(/\s+/g, ' ')
  const { negated, part } = chip
  const not = negated ? 'not ' : ''
  if (part.type === 'flag') return not + part.field.name
  const { symbol } = part.operator
  const value = text.slice(part.pattern.from, part.pattern.to).replaceAll(/\s+/g, ' ')
  return `${not}${part.field.name}${symbol === ':' ? ':' : ` ${symbol}`} ${value}`
}
