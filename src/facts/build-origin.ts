import type { Facts } from '../protocol/facts.ts'
import { branchOf as valueOfBranch } from './failure-streak.ts'

type Origin = Pick<Facts, 'values' | 'tags'>

/** The branch of a build, as a custom value says it or, failing that, a tag such as `branch:main`. */
export function branchOf({ values, tags }: Origin): string | undefined {
  return valueOfBranch({ values }) ?? tags?.flatMap(branchInTag)[0]
}

/** The commit of a build, as the common plug-ins name its custom value. */
export function commitOf({ values }: Origin): string | undefined {
  return values?.find(({ name, value }) => name.toLowerCase() === 'git commit id' && value !== '')
    ?.value
}

function branchInTag(tag: string): string[] {
  const branch = /^(?:git[ -]?)?branch[:=](.+)$/i.exec(tag.trim())?.[1]?.trim()
  return branch === undefined || branch === '' ? [] : [branch]
}
