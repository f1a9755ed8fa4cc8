import { check } from '../../search/check.ts'
import { parse } from '../../search/parse.ts'
import { quoteValue } from '../../search/values/text.ts'
import { countOf } from '../../protocol/count.ts'
import type { ProxyConfig } from '../../protocol/proxy-config.ts'
import { packageLink, packageText } from '../domain/package/package-links.ts'
import type { KnownPackage } from '../features/packages/known-packages.ts'
import type { SavedQuery } from '../ui/device-preferences.ts'
import type { FeedRow, FeedSnapshot } from '../data/live/feed-state.ts'

/** A search that can be run. */
export interface OfferedSearch {
  readonly label: string
  readonly query: string
  readonly zone?: string | undefined
}

const mostSaved = 6

/**
 * The searches that what was typed may mean: saved ones by their name or text, the query itself where
 * it is one, and otherwise the builds of a project or with a tag that is called so.
 */
export function findSearches(
  typed: string,
  saved: readonly SavedQuery[],
): readonly OfferedSearch[] {
  const text = typed.trim()
  const part = text.toLowerCase()
  const named = saved
    .filter(({ name, query }) => `${name}\n${query}`.toLowerCase().includes(part))
    .slice(0, mostSaved)
    .map(({ name, query, zone }) => ({ label: name, query, zone }))
  if (text === '') return named
  return [...named, ...meant(text).map((query) => ({ label: `Search for ${query}`, query }))]
}

function meant(text: string): readonly string[] {
  const query = parse(text)
  const isQuery = check(query).every(({ severity }) => severity !== 'error')
  if (isQuery && query.root !== undefined) return [text]
  // A name without a field would be a mistake: most people mean a project, or a tag.
  return /^[\w.-]{2,60}$/.test(text) ? [`project:*${text}*`, `tag:${quoteValue(text)}`] : []
}

const most = 8

/** The newest builds of the feed whose id contains what was typed; from three characters on. */
export function findBuilds(
  feed: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'>,
  typed: string,
): readonly FeedRow[] {
  const part = typed.trim().toLowerCase()
  const found: FeedRow[] = []
  if (part.length < 3) return found
  for (let arrival = feed.newest; arrival >= feed.oldest && found.length < most; arrival--) {
    const row = feed.row(arrival)
    if (row?.build.buildId.includes(part)) found.push(row)
  }
  return found
}

/** A page that can be gone to. */
export interface OfferedPlace {
  readonly label: string
  readonly description: string
  /** Its address here. */
  readonly to: string
}

/** The configured boards whose name or title contains what was typed; all of them for nothing. */
export function findBoards(boards: ProxyConfig['boards'], typed: string): readonly OfferedPlace[] {
  const part = typed.trim().toLowerCase()
  return boards
    .filter(({ name, title = '' }) => `${name}\n${title}`.toLowerCase().includes(part))
    .slice(0, most)
    .map(({ name, title = name, packages }) => ({
      label: `Board ${title}`,
      description: countOf(packages.length, 'package'),
      to: `/board/${encodeURIComponent(name)}`,
    }))
}

/**
 * Packages whose package URL contains each word that was typed, and their policy scans: a word may name
 * the scan. From two characters on, a screenful at most.
 */
export function findPackages(
  packages: readonly KnownPackage[],
  typed: string,
): readonly OfferedPlace[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.join('').length < 2) return []
  const found = new Map<string, OfferedPlace>()
  for (const one of packages) {
    const name = packageText(one.address)
    const isNamed = words.every((word) => name.toLowerCase().includes(word))
    const places = [
      ...(isNamed
        ? [{ label: name, description: 'package', to: packageLink(one.address, one) }]
        : []),
      ...one.scans
        .filter((scan) => {
          const text = `${name} ${scan}`.toLowerCase()
          return words.every((word) => text.includes(word))
        })
        .map((scan) => ({
          label: `${name} ${scan}`,
          description: 'policy scan',
          to: packageLink(one.address, one, scan),
        })),
    ]
    for (const place of places) if (!found.has(place.label)) found.set(place.label, place)
    if (found.size >= most) break
  }
  return [...found.values()].slice(0, most)
}
