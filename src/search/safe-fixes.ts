import type { Diagnostic } from './diagnostic.ts'
import type { Query, Span } from './tree.ts'

/**
 * The diagnostics without the fixes that would do something else than they say: where a quote or a
 * parenthesis is open, one more, anywhere, could pair with it.
 */
export function safe(found: readonly Diagnostic[], { text, faults }: Query): Diagnostic[] {
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
export function apart(diagnostic: Diagnostic, { to }: Span, text: string): Diagnostic {
  if (text[to - 1] !== ']' || !/[^\s()]/.test(text.charAt(to))) return diagnostic
  const fixes = diagnostic.fixes.map((fix) => ({
    ...fix,
    edits: fix.edits.map((it) => (it.to === to ? { ...it, insert: `${it.insert} ` } : it)),
  }))
  return { ...diagnostic, fixes }
}
