import type { Facts } from '../../../protocol/facts.ts'
import type { ProxyConfig } from '../../../protocol/proxy-config.ts'
import { feedAddress, type Neighbours } from './neighbours.ts'

/** Somewhere to go from a build: within the dashboard (`to`), or in the web (`address`). */
export type BuildLink =
  | { readonly text: string; readonly to: string }
  | { readonly text: string; readonly address: string }

/**
 * Where to go from a build: the same project and user in the feed, the build before it, others of
 * its commit, the page that the build server itself has of it (docs/services.md#build-page-links),
 * and what the build says.
 */
export function buildLinks(known: {
  readonly buildId: string
  readonly facts: Facts | undefined
  readonly neighbours: Neighbours | undefined
  readonly ownLinks: readonly { readonly label: string; readonly url: string }[]
  readonly server: ProxyConfig['upstreams']['buildData'] | undefined
}): readonly BuildLink[] {
  const { buildId, facts, neighbours, ownLinks, server } = known
  const links: BuildLink[] = []
  const { project, user } = facts ?? {}
  if (project) links.push({ text: `Builds of ${project}`, to: feedAddress({ project }) })
  if (user) links.push({ text: `Builds by ${user}`, to: feedAddress({ user }) })
  const previous = neighbours?.streak?.previous
  if (previous) links.push({ text: 'The build before this one', to: `/builds/${previous}` })
  for (const other of neighbours?.sameCommit ?? []) {
    const what = [other.requested?.join(' ') ?? other.buildId, other.outcome]
    const text = `Same commit: ${what.filter((word) => word).join(', ')}`
    links.push({ text, to: `/builds/${other.buildId}` })
  }
  if (server?.kind === 'server' && server.origin !== null) {
    links.push({ text: 'Page of the build server', address: `${server.origin}/s/${buildId}` })
  }
  return [...links, ...ownLinks.map(({ label, url }) => ({ text: label, address: url }))]
}
