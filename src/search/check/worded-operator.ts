import { type Diagnostic, error } from '../diagnostic.ts'
import { findField } from '../fields/fields.ts'
import type { Expression, Flag } from '../tree.ts'
import { shown } from '../values/reading.ts'
import { quoteValue } from '../values/text.ts'
import { rewrite } from './condition-diagnostics.ts'
import { releaseDiagnostic } from './field-checks.ts'

/**
 * `project in (a, b)`, `user is not dylan`, `requested contains build`: a comparison as SQL and other languages have it, of
 * a text field that the server has and with a value. `words` is how many of `following` and the name it takes. Undefined for all else.
 */
export function wordedOperator(
  { field, from }: Flag,
  following: readonly (Expression | undefined)[],
  text: string,
  serverRelease: string | undefined,
): { readonly diagnostic: Diagnostic; readonly words: number } | undefined {
  const name = findField(field.name)
  const [second, third] = following
  if (name?.type !== 'text' || second === undefined) return undefined
  // Repeated for each value, a field that the server doesn't have would be as many errors.
  if (releaseDiagnostic(field, name, serverRelease)?.severity === 'error') return undefined
  const negated = second.type === 'not' ? second : undefined
  const operator = wordOf(negated?.operand ?? second, text)
  if (operator === 'in' && third?.type === 'group') {
    const values = listed(text.slice(third.from, third.to))
    if (values === undefined) return undefined
    const terms = values.map((value) => `${field.name}:${quoteValue(value)}`)
    const all = terms.length === 1 ? terms.join('') : `(${terms.join(' or ')})`
    return found(third.to, `${negated === undefined ? '' : '-'}${all}`)
  }
  const kind = operator === undefined ? undefined : operators.get(operator)
  if (kind === undefined || third === undefined) return undefined
  // `is not x` has its negation before the value, `not like x` before the operator.
  const value = third.type === 'not' && negated === undefined ? third.operand : third
  if (!isValue(value)) return undefined
  const [plain, ...others] = listed(`(${text.slice(value.from, value.to)})`) ?? []
  if (plain === undefined || others.length > 0) return undefined
  const pattern =
    kind === 'part' ? `*${plain}*` : kind === 'like' ? plain.replaceAll('%', '*') : plain
  const isNegated = negated !== undefined || third.type === 'not'
  return found(third.to, `${isNegated ? '-' : ''}${field.name}:${quoteValue(pattern)}`)

  function found(to: number, meant: string) {
    const message = `${shown(operator ?? '')} isn't an operator. Use ${shown(meant)}.`
    const diagnostic = error({ from, to }, 'syntax.worded-operator', message, [
      rewrite({ from, to }, meant),
    ])
    return { diagnostic, words: 3 }
  }
}

const operators = new Map<string, 'equal' | 'like' | 'part'>([
  ['is', 'equal'],
  ['equals', 'equal'],
  ['eq', 'equal'],
  ['like', 'like'],
  ['contains', 'part'],
])

function isValue(part: Expression): boolean {
  return part.type === 'flag' || part.type === 'free-text'
}

function wordOf(part: Expression, text: string): string | undefined {
  return isValue(part) ? text.slice(part.from, part.to).toLowerCase() : undefined
}

/** The values of `(a, 'b c', "d")`; undefined where it is no such list. */
function listed(group: string): readonly string[] | undefined {
  const inner = /^\(([^()\\\n]{1,2000})\)$/.exec(group)?.[1]
  const values = inner?.split(/,|\sor\s/i).map((value) => {
    const [, quoted] = /^(?:'([^'"]+)'|"([^'"]+)")$/.exec(value.trim())?.filter(Boolean) ?? []
    return quoted ?? value.trim()
  })
  return values?.every((value) => /^[^\s'"“”„]/.test(value) && !/['"“”„]/.test(value)) === true
    ? values
    : undefined
}
