import { compareVersions } from '../protocol/version-order.ts'
import type { Change } from './diff.ts'
import { purlParts } from './predicates/predicate-facts.ts'

/** A difference between two statements, as people read it. */
export interface ChangeInWords {
  readonly kind: 'added' | 'removed' | 'upgraded' | 'downgraded' | 'changed'
  /** A package, or the name of a field with those above it, such as "tool version". */
  readonly what: string
  /** Empty where it was added. */
  readonly before: string
  /** Empty where it was removed. */
  readonly after: string
  readonly isPackage: boolean
}

/** The differences of two statements of one kind in words, packages first; without the subject, which always differs. */
export function changesInWords(changes: readonly Change[]): readonly ChangeInWords[] {
  const words = changes.filter(({ path }) => isOfPredicate(path)).map(inWords)
  return [...words.filter(({ isPackage }) => isPackage), ...words.filter((one) => !one.isPackage)]
}

function isOfPredicate([first = '']: readonly string[]): boolean {
  return first === 'predicate' || first === 'predicateType'
}

function inWords({ kind, path, before = '', after = '', package: name }: Change): ChangeInWords {
  if (name !== undefined) {
    return { kind: versionChange(before, after), what: name, before, after, isPackage: true }
  }
  const purl = kind === 'changed' ? undefined : purlParts(kind === 'added' ? after : before)
  if (purl === undefined) return { kind, what: fieldWords(path), before, after, isPackage: false }
  return {
    kind,
    what: purl.package,
    before: kind === 'removed' ? purl.version : '',
    after: kind === 'added' ? purl.version : '',
    isPackage: true,
  }
}

function versionChange(before: string, after: string): 'upgraded' | 'downgraded' | 'changed' {
  const order = compareVersions(before, after)
  return order === undefined || order === 0 ? 'changed' : order < 0 ? 'upgraded' : 'downgraded'
}

/** The last keys of a path: `["predicate", "toolVersion"]` is "tool version". */
function fieldWords(path: readonly string[]): string {
  const keys = path.slice(1).slice(-3)
  if (keys.length === 0) return path[0] ?? ''
  return keys
    .map((key) =>
      /^[\p{L}\p{N}_-]{1,60}$/u.test(key)
        ? key
            .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
            .replace(/[_-]+/g, ' ')
            .toLowerCase()
        : key,
    )
    .join(' › ')
}
