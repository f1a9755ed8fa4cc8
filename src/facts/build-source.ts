import type { Facts } from '../protocol/facts.ts'

type WithValues = Pick<Facts, 'values'>

/** The commit that was built, from the custom value that the common plug-ins set. */
export function commitOf(build: WithValues): string | undefined {
  return valueOf(build, 'git commit id')
}

/**
 * The commits between two builds, shortened for people, and an https address that compares them where the host of
 * their repository has one; undefined where either build names none, or both the same.
 */
export function commitsBetween(
  before: WithValues,
  after: WithValues,
): { readonly from: string; readonly to: string; readonly url: string | undefined } | undefined {
  const [from, to] = [commitOf(before), commitOf(after)]
  if (from === undefined || to === undefined || from === to) return undefined
  const [one, other] = [valueOf(before, 'git repository'), valueOf(after, 'git repository')]
  const repository = one === undefined || one === other ? other : undefined
  return { from: shortCommit(from), to: shortCommit(to), url: comparisonUrl(repository, from, to) }
}

/** "9592ca0b42": enough to find a commit by. */
export function shortCommit(id: string): string {
  return /^[0-9a-f]{40,64}$/i.test(id) ? id.slice(0, 10) : id
}

function comparisonUrl(
  repository: string | undefined,
  from: string,
  to: string,
): string | undefined {
  if (![from, to].every((id) => /^[0-9a-f]{7,64}$/i.test(id))) return undefined
  const [, host, path] =
    /^(?:https:\/\/|ssh:\/\/git@|git@)([\w.-]+)[:/]([\w.~/-]+?)(?:\.git)?\/?$/.exec(
      repository ?? '',
    ) ?? []
  if (host === undefined || path === undefined || path.includes('..')) return undefined
  if (host.includes('github')) return `https://${host}/${path}/compare/${from}...${to}`
  if (host.includes('gitlab')) return `https://${host}/${path}/-/compare/${from}...${to}`
  if (host === 'bitbucket.org') return `https://${host}/${path}/branches/compare/${to}..${from}`
  return undefined
}

function valueOf({ values }: WithValues, name: string): string | undefined {
  const found = values?.find((one) => one.name.toLowerCase() === name)?.value
  return found === '' ? undefined : found
}
