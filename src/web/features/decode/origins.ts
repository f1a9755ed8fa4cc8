import type { Explanation } from '../../../attestation/explain.ts'
import { safeLink } from '../../../attestation/safe-link.ts'
import { isBuildId } from '../../../protocol/build-id.ts'
import { buildOfAddress } from './build-of-address.ts'

/** Where an attestation says that something came from: a build here, or an address of the web. */
export type Origin =
  | { readonly text: string; readonly to: string }
  | { readonly text: string; readonly address: string }

/** Links to build, source, commit and run, as far as the facts of an attestation name them. */
export function originsOf({ rows, lists }: Explanation): readonly Origin[] {
  const found = new Map<string, Origin>()
  const add = (key: string, origin: Origin): void => {
    if (!found.has(key)) found.set(key, origin)
  }
  for (const { label, value } of rows) {
    const build = label === 'Build' && isBuildId(value) ? value : buildOfAddress(value)
    if (build !== undefined)
      add(`build ${build}`, { text: `Build ${build}`, to: `/builds/${build}` })
    const address = build === undefined ? webAddress(value) : undefined
    if (address !== undefined && linked.has(label)) add(address, { text: label, address })
  }
  for (const list of lists) {
    if (list.label !== 'Inputs' && list.label !== 'Materials') continue
    for (let at = 0; at < Math.min(list.length, 3); at++) {
      const { value, details } = list.at(at)
      const address = webAddress(value)
      const commit = details.find(({ value: digest }) => /^(?:gitCommit|sha1):/.test(digest))?.value
      const hash = commit && /[0-9a-f]{40,64}$/.exec(commit)?.[0]
      if (address !== undefined && hash && hasCommitPages(address)) {
        add(`commit ${hash}`, {
          text: `Commit ${hash.slice(0, 12)}`,
          address: `${address.replace(/\.git$/, '').replace(/\/$/, '')}/commit/${hash}`,
        })
      }
    }
  }
  return [...found.values()]
}

const linked: ReadonlySet<string> = new Set([
  'Source',
  'Run',
  'Build scan',
  'Build configuration',
  'Resource',
  'Repository',
  'Report',
])

/** "git+https://host/repo@refs/heads/main" is how SLSA names a repository. */
function webAddress(text: string): string | undefined {
  const address = text.replace(/^git\+/, '').replace(/@refs\/.*$/, '')
  return safeLink(address)?.href
}

/** Where a commit has the address of its repository with "/commit/" behind it. */
function hasCommitPages(address: string): boolean {
  return /^https:\/\/(?:[\w-]+\.)*(?:github|gitlab|gitea|codeberg)\.[\w.]+\/[^/]+\/[^/]/.test(
    address,
  )
}
