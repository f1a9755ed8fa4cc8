import type { AssistContext } from './assist/completion.ts'
import { days } from './assist/suggestions.ts'
import { isKnownWord } from './assist/word-conditions.ts'
import { operatorNotAllowed, rewrite, spacedPair } from './check/condition-diagnostics.ts'
import { faultDiagnostic } from './check/faults.ts'
import {
  namesMeant,
  pairTerm,
  presenceTerm,
  releaseDiagnostic,
  unknownField,
} from './check/field-checks.ts'
import {
  curlyQuotes,
  freeText,
  notBoolean,
  removing,
  singleQuotes,
  spacedGroup,
  spacedOperator,
  spacedValue,
  termsWith,
} from './check/free-text.ts'
import {
  addToScope,
  createScope,
  doubleNegation,
  mixedAndOr,
  type Scope,
  type Standing,
} from './check/logic.ts'
import { wordedOperator } from './check/worded-operator.ts'
import type { Diagnostic, Place } from './diagnostic.ts'
import type { Field } from './fields/field.ts'
import { findField } from './fields/fields.ts'
import type { Combination, Expression, Flag, Group, Negation, Query, Span, Term } from './tree.ts'
import { hasNoOrder, readCondition } from './values/read-condition.ts'

/** What is known beside the query: the release of the server that will run it, and values to fix it with. */
export interface CheckOptions extends Omit<AssistContext, 'serverRelease'> {
  readonly serverRelease?: string | undefined
}

/**
 * What is wrong or doubtful in a query, by position. An error is where it cannot mean anything; a term
 * has one at most. Each fix makes its diagnostic go away and brings no new error. Linear in the
 * length of the query.
 */
export function check(
  query: Query,
  { serverRelease, ...context }: CheckOptions = {},
): Diagnostic[] {
  const { text, faults } = query
  const found: Diagnostic[] = []
  const hasCurlyQuotes = /[“”„]/.test(text)
  const meantBy = new Map<string, string[]>()
  /** The fields of the terms of each combination, and those with what its words become. */
  const fieldsOf = new Map<
    Combination,
    { readonly terms: Set<string>; readonly all: Set<string> }
  >()
  /** The faults before this one are reported, or belong to a term that has its error. */
  let nextFault = 0
  /** What begins before this offset is reported as the value of the term before it. */
  let reportedBefore = -1

  if (query.root) {
    walk(query.root, createScope(), { combination: undefined, index: 0 }, undefined)
  }
  reportFaults(Infinity)
  found.sort((a, b) => a.from - b.from || a.to - b.to)
  return safe(found, query)

  function walk(part: Expression, scope: Scope, place: Place, negation: Around): void {
    switch (part.type) {
      case 'and':
        walkAll(part, negation ? createScope() : scope, place)
        break
      case 'or':
        found.push(...mixedAndOr(part, text))
        walkAlternatives(part, negation ? undefined : scope)
        break
      case 'not':
        walkNegation(part, scope, place, negation)
        break
      case 'group':
        if (part.inner) walk(part.inner, scope, place, negation)
        else reportEmpty(part, place)
        break
      case 'term':
        checkTerm(part, scope, { text, place, negation })
        break
      case 'flag':
        checkFlag(part, scope, { text, place, negation })
        break
      case 'free-text':
        reportWords(part, place)
    }
  }

  function walkAll(combination: Combination, scope: Scope, around: Place): void {
    const { operands } = combination
    for (let index = 0; index < operands.length; index++) {
      const operand = operands[index]
      if (!operand || operand.from < reportedBefore) continue
      const place = { combination, index }
      const spaced =
        operand.type === 'flag' &&
        (spacedOperator(operand, operands.slice(index + 1, index + 3), text) ??
          wordedOperator(operand, operands.slice(index + 1, index + 3), text, serverRelease))
      if (spaced) {
        found.push(spaced.diagnostic)
        index += spaced.words - 1
      } else if (isLoose(operand)) {
        let last = operand
        for (
          let next = operands[index + 1];
          next && continues(last, next);
          next = operands[index + 1]
        ) {
          last = next
          index += 1
        }
        const span = { from: operand.from, to: last.to }
        // Words that are all there is go with what joins the whole to the rest.
        const isAll = place.index === 0 && index === operands.length - 1
        reportWords(span, isAll ? around : { ...place, last: index })
      } else walk(operand, scope, place, undefined)
    }
  }

  function reportWords(span: Span, place: Place): void {
    const { combination, index } = place
    found.push(freeText(span, text, place, context, fieldsAround(combination, index)))
  }

  function fieldsAround(combination: Combination | undefined, index: number): Set<string> {
    // Alternatives may be of the same field.
    if (combination?.type !== 'and') return new Set()
    let known = fieldsOf.get(combination)
    if (known === undefined) {
      const terms = new Set(
        combination.operands.flatMap((part) => (part.type === 'term' ? [part.field.name] : [])),
      )
      known = { terms, all: new Set(terms) }
      fieldsOf.set(combination, known)
    }
    // So may what a build must not match.
    return combination.operands[index]?.type === 'not' ? new Set(known.terms) : known.all
  }

  function walkAlternatives(combination: Combination, outer: Scope | undefined): void {
    const alternatives = new Set<string>()
    for (const [index, operand] of combination.operands.entries()) {
      const single = isSingle(operand) ? alternatives : undefined
      walk(operand, createScope(outer, single), { combination, index }, undefined)
    }
  }

  function walkNegation(part: Negation, scope: Scope, place: Place, around: Around): void {
    const inner = withoutGroups(part.operand)
    if (inner.type === 'not') {
      found.push(doubleNegation(part, inner))
      walk(inner.operand, scope, place, around)
    } else walk(part.operand, scope, place, around ? undefined : part)
  }

  function checkTerm(term: Term, scope: Scope, standing: Standing): void {
    const field = findField(term.field.name)
    if (reportFaultsOf(term, field)) return
    if (!field) {
      const meant = namesFor(term.field.name, false)
      const pair = pairTerm(term, context)
      const elsewhere = meant.length > 0 ? [] : termsWith(soughtIn(term))
      found.push(apart(unknownField(term, meant, elsewhere, pair, presenceTerm(term)), term, text))
      return
    }
    if (isNotInRelease(term, field, standing.place)) return
    const { pattern } = term
    const spaced = pattern.type === 'missing' && reportSpaced(term, standing.place)
    if (spaced) return
    if (pattern.type === 'range' && hasNoOrder(field)) {
      found.push(apart(operatorNotAllowed(term, field, text), term, text))
      return
    }
    const reading = readCondition(term, field, context.timeZone)
    const quotes =
      (hasCurlyQuotes ? curlyQuotes(pattern, text) : undefined) ?? singleQuotes(pattern, text)
    if (quotes) found.push({ ...quotes, severity: reading.ok ? 'warning' : 'error' })
    if (reading.ok) {
      for (const hint of reading.hints) found.push(hint)
      report(addToScope(scope, term, field, standing))
    } else if (!quotes) {
      const pair = spacedPair(term, nextOf(standing.place), reading.problem, text)
      found.push(pair ?? apart(withDay(reading.problem), term, text))
      reportedBefore = Math.max(reportedBefore, pair?.to ?? 0)
    }
  }

  /** What a term of no field looks for: `is:failed` has words of another language around it. */
  function soughtIn({ field, pattern, from, to }: Term): string {
    const { from: start, to: end } = /^is$/i.test(field.name) ? pattern : { from, to }
    return text.slice(start, end)
  }

  /** `today` and `yesterday`, of which only what knows the time can say when they are. */
  function withDay(problem: Diagnostic): Diagnostic {
    if (problem.code !== 'value.instant-invalid') return problem
    const named = text.slice(problem.from, problem.to).toLowerCase()
    const day = days(context)[['today', 'yesterday'].indexOf(named)]
    return day === undefined ? problem : { ...problem, fixes: [rewrite(problem, day)] }
  }

  function checkFlag(flag: Flag, scope: Scope, standing: Standing): void {
    const { place } = standing
    const field = findField(flag.field.name)
    if (field?.type === 'boolean') {
      if (!isNotInRelease(flag, field, place)) report(addToScope(scope, flag, field, standing))
    } else if (field) {
      found.push(notBoolean(flag, field, nextOf(place), text))
    } else if (isLoose(flag)) {
      reportWords(flag, place)
    } else {
      const { name } = flag.field
      found.push(unknownField(flag, namesFor(name, true), termsWith(name)))
    }
  }

  /** Whether what follows was meant to be the value: then it has its error, too. */
  function reportSpaced(term: Term, { combination, index }: Place): boolean {
    if (combination?.type !== 'and') return false
    const following = combination.operands.slice(index + 1, index + 3)
    const spaced = spacedValue(term, following, text) ?? spacedGroup(term, following[0], text)
    if (!spaced) return false
    found.push(spaced)
    reportedBefore = spaced.to
    return true
  }

  function report(doubt: Diagnostic | undefined): void {
    if (doubt) found.push(doubt)
  }

  function isNotInRelease(part: Term | Flag, field: Field, place: Place): boolean {
    if (field.since === undefined && field.until === undefined) return false
    const diagnostic = releaseDiagnostic(part.field, field, serverRelease)
    if (!diagnostic) return false
    const isError = diagnostic.severity === 'error'
    const fixes = isError ? [...diagnostic.fixes, removing(part, text, place)] : diagnostic.fixes
    found.push({ ...diagnostic, fixes })
    return isError
  }

  function reportEmpty(group: Group, place: Place): void {
    reportFaults(group.from)
    const fault = faults[nextFault]
    if (fault?.code !== 'empty-group' || fault.from !== group.from) return
    nextFault += 1
    found.push({ ...faultDiagnostic(fault, text), fixes: [removing(group, text, place)] })
  }

  /** Whether the term has a fault: then that is its error. */
  function reportFaultsOf(term: Term, field: Field | undefined): boolean {
    reportFaults(term.from)
    const fault = faults[nextFault]
    if (!fault || fault.from >= term.to) return false
    const isText = fault.code === 'range-shape' && field && hasNoOrder(field)
    found.push(isText ? operatorNotAllowed(term, field, text) : faultDiagnostic(fault, text))
    while ((faults[nextFault]?.from ?? term.to) < term.to) nextFault += 1
    return true
  }

  function reportFaults(before: number): void {
    for (; nextFault < faults.length; nextFault++) {
      const fault = faults[nextFault]
      if (!fault || fault.from >= before) return
      found.push(faultDiagnostic(fault, text))
    }
  }

  /** A word that is no field, and not nearly one. */
  function isLoose(part: Expression): boolean {
    if (part.type === 'free-text') return true
    if (part.type !== 'flag' || findField(part.field.name)) return false
    return isKnownWord(part.field.name) || namesFor(part.field.name, true).length === 0
  }

  function continues(last: Expression, next: Expression): boolean {
    return isLoose(next) && text.slice(last.to, next.from).trim() === ''
  }

  function namesFor(name: string, isFlag: boolean): string[] {
    const key = isFlag ? `${name}?` : name
    const known = meantBy.get(key)
    if (known) return known
    const names = namesMeant(name, isFlag)
    meantBy.set(key, names)
    return names
  }
}

/** The negation around a part, if there is one. */
type Around = Negation | undefined

/** What stands behind a part without an or between them. */
function nextOf({ combination, index }: Place): Expression | undefined {
  return combination?.type === 'and' ? combination.operands[index + 1] : undefined
}

function isSingle(part: Expression): boolean {
  const inner = withoutGroups(part)
  const { type } = inner.type === 'not' ? withoutGroups(inner.operand) : inner
  return type === 'term' || type === 'flag'
}

function withoutGroups(part: Expression): Expression {
  let inner = part
  while (inner.type === 'group' && inner.inner) inner = inner.inner
  return inner
}

/** The diagnostics without fixes that would do something else: an open quote or parenthesis could pair with one more. */
function safe(found: readonly Diagnostic[], { text, faults }: Query): Diagnostic[] {
  const fixes = found.some((it) => it.fixes.length > 0)
  const isOpenGroup = fixes && faults.some(({ code }) => groupFaults.has(`syntax.${code}`))
  const risky = [
    ...(fixes && isOdd(text, /(?<!\\)"/g) ? ['"'] : []),
    ...(fixes && isOdd(text, /[“”„]/g) ? ['“', '”', '„'] : []),
    ...(isOpenGroup ? ['(', ')'] : []),
  ]
  if (risky.length === 0) return [...found]
  return found.map((it) => {
    if (it.code === 'syntax.unclosed-quote' || groupFaults.has(it.code)) return it
    const safeOnes = it.fixes.filter(({ edits }) =>
      edits.every(({ insert }) => !risky.some((character) => insert.includes(character))),
    )
    return { ...it, fixes: safeOnes }
  })
}

const groupFaults = new Set(['syntax.unclosed-group', 'syntax.unexpected-closing'])

function isOdd(text: string, character: RegExp): boolean {
  return (text.match(character)?.length ?? 0) % 2 === 1
}

/** A diagnostic of a term whose fixes keep it apart from a word right behind it, as its bracket does. */
function apart(diagnostic: Diagnostic, { to }: Span, text: string): Diagnostic {
  if (text[to - 1] !== ']' || !/[^\s()]/.test(text.charAt(to))) return diagnostic
  const fixes = diagnostic.fixes.map((fix) => ({
    ...fix,
    edits: fix.edits.map((it) => (it.to === to ? { ...it, insert: `${it.insert} ` } : it)),
  }))
  return { ...diagnostic, fixes }
}
