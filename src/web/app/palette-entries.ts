import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { countOf } from '../../protocol/count.ts'
import { packageText, readPackageReference } from '../../protocol/package-reference.ts'
import type { ProxyConfig } from '../../protocol/proxy-config.ts'
import { fullTestName, type TestRow } from '../../protocol/test-insight.ts'
import type { Wall } from '../../protocol/wall.ts'
import { quoteValue } from '../../search/values/text.ts'
import { asProblem } from '../data/core/attempts.ts'
import { configQuery } from '../data/core/server-config.ts'
import { useServices } from '../data/core/services.ts'
import { savedQueriesQuery } from '../data/queries/saved-queries.ts'
import { loadableAddress, useQueryHistory } from '../domain/saved-query/past-queries.ts'
import { testsLink } from '../data/tests/tests-address.ts'
import { packageLink } from '../domain/package/package-links.ts'
import { searchAddress } from '../features/builds/search-address.ts'
import { type DevicePreferences, usePreferences } from '../ui/device-preferences.ts'
import { useKeyRegistry } from '../ui/keys.tsx'
import { useRested } from '../ui/query-editor/query-assistance.ts'
import { toast } from '../ui/toast.ts'
import { useDeviceChoices } from './device-choices.ts'
import { type Entry, findBuilds, meantQuery, namedBuild, projectsOf } from './palette-search.ts'
import { detailPages, pages } from './pages.ts'
import { useMayCreateTokens } from './servers.tsx'
import { leave } from '../data/core/sign-in.ts'
import { useCanSignOut } from './user-menu.tsx'

/** What can be found at this moment, and what of it cannot, in a line each. */
export interface Entries {
  readonly all: readonly Entry[]
  /** What was opened last from here, newest first. */
  readonly recent: readonly Entry[]
  /** What is still loaded, or cannot be: the rest is shown without it. */
  readonly missing: readonly string[]
}

/** Everything that the palette finds for what was typed; `onKeys` opens the list of keys. */
export function useEntries(typed: string, onKeys: () => void): Entries {
  const { feed, request } = useServices()
  // Walls are saved while the page is open.
  const config = useQuery({ ...configQuery(request), refetchOnMount: 'always' })
  const stored = useQuery(savedQueriesQuery(request))
  const history = useQueryHistory()
  const tests = useKnownTests(typed.trim())
  const preferences = usePreferences()
  const actions = useActions(onKeys)
  const places = usePlaces()
  // As it is at each key, and no newer: nothing moves under the hands of the one who types.
  const snapshot = feed.getSnapshot()
  const projects = useMemo(() => projectsOf(snapshot), [snapshot])
  const data = config.data
  // By itself: they may be ten thousand, and tests are found with each letter.
  const packages = useMemo(
    () => packageEntries([...remembered(preferences.packages), ...configured(data)]),
    [preferences.packages, data],
  )
  const lists = useMemo(
    () => [
      ...boardEntries(data?.boards ?? [], preferences.boards ?? []),
      ...wallEntries(data?.walls ?? [], preferences.walls ?? []),
      ...queryEntries([
        ...(stored.data ?? []),
        ...preferences.savedQueries,
        ...(data?.savedQueries ?? []),
      ]),
      ...history.map(historyEntry),
      ...tests.map(testEntry),
      ...projects.map(projectEntry),
    ],
    [data, stored.data, preferences, history, tests, projects],
  )
  return {
    all: [...places, ...lists, ...actions, ...buildEntries(snapshot, typed), ...packages],
    recent: (preferences.opened ?? []).map(({ label, note, to }) => ({
      kind: 'Recent',
      label,
      // How many it has may be others by now.
      note:
        lists.find((entry) => entry.label === label && entry.to?.() === to)?.note ??
        note.replace(/, .*/, ''),
      to: () => to,
    })),
    missing: [
      ...missingOf('Boards, walls and packages of the configuration', config),
      ...missingOf('Queries saved on the server', stored),
    ],
  }
}

/** What is not here of a source, in a line; none where it is complete. */
function missingOf(
  what: string,
  { isPending, error }: { readonly isPending: boolean; readonly error: unknown },
): readonly string[] {
  if (error !== null) return [`${what} can't be shown. ${asProblem(error).sentence}`]
  return isPending ? [`Loading: ${what.charAt(0).toLowerCase()}${what.slice(1)}…`] : []
}

/** The search for builds, or the page of a package, that what was typed means: always the last choice. */
export function searchEntry(typed: string, values: readonly Entry[]): Entry | undefined {
  if (/^\s*pkg:/i.test(typed)) return typedPackage(typed, values)
  const projects = values.filter(({ kind }) => kind === 'Projects')
  const query = meantQuery(typed, (field) =>
    field === 'project' ? projects.map(({ label }) => ({ value: label, count: 1 })) : [],
  )
  if (query === undefined) return undefined
  return { kind: 'Builds', label: `Search builds for ${query}`, note: 'search', to: found(query) }
}

/** Undefined where it is no package, or one of those that are found. */
function typedPackage(typed: string, values: readonly Entry[]): Entry | undefined {
  const read = readPackageReference(typed)
  if (!read.ok) return undefined
  const { address, sha256 = '', repositoryUrl = '' } = read.reference
  const label = packageText(address)
  if (values.some((entry) => entry.label === label)) return undefined
  const to = (): string => packageLink(address, { sha256, repositoryUrl })
  return { kind: 'Packages', label: `Open ${label}`, note: 'package', to }
}

function found(query: string, zone?: string): () => string {
  const state = { query, zone, columns: undefined, refresh: 'off' } as const
  const search = `?${searchAddress.write(state).toString()}`
  return () => loadableAddress({ pathname: '/builds', search, hash: '' })
}

function usePlaces(): readonly Entry[] {
  const mayCreateTokens = useMayCreateTokens()
  const more = detailPages.filter(({ path }) => path === '/tokens' && mayCreateTokens)
  return [
    ...pages.map(({ path, label, key }) => ({ path, label, keys: `g ${key}` })),
    ...more.map(({ path, label }) => ({ path, label, keys: undefined })),
    { path: '/status#you', label: 'You', keys: undefined },
  ].map(({ path, label, keys }) => ({
    kind: 'Pages',
    label,
    note: 'page',
    to: () => path,
    ...(keys === undefined ? {} : { keys }),
  }))
}

/** The choices of this device, what the screen below offers by key, and what the menus have. */
function useActions(onKeys: () => void): readonly Entry[] {
  const registry = useKeyRegistry()
  const services = useServices()
  const canSignOut = useCanSignOut()
  const [commands] = useState(() =>
    registry
      .groups()
      .flatMap(({ bindings }) => bindings)
      .filter(({ isCommand }) => isCommand),
  )
  const settings = useDeviceChoices().flatMap(({ name, options }) =>
    options
      .filter(({ isChosen }) => !isChosen)
      .map(({ label, choose }) => ({ label: `${name}: ${label}`, run: choose })),
  )
  async function end(): Promise<void> {
    try {
      await leave(services)
    } catch (error) {
      await toast(`Can't sign out. ${asProblem(error).sentence}`)
    }
  }
  const kind = 'Settings and actions' as const
  return [
    ...commands.map(({ label, keys, run }) => ({
      kind,
      label,
      note: 'on this page',
      keys: keys[0],
      run,
    })),
    ...settings.map((setting) => ({ kind, note: 'setting', also: 'theme settings', ...setting })),
    {
      kind,
      label: 'Keyboard shortcuts',
      note: 'help',
      also: 'keys hotkeys',
      keys: '?',
      run: onKeys,
    },
    ...(canSignOut
      ? [{ kind, label: 'Sign out', note: 'account', also: 'log out', run: () => void end() }]
      : []),
  ]
}

function boardEntries(
  boards: ProxyConfig['boards'],
  pasted: NonNullable<DevicePreferences['boards']>,
): readonly Entry[] {
  return [
    ...boards.map(({ name, title = name, packages }): Entry => ({
      kind: 'Boards',
      label: title,
      also: name,
      note: `board, ${countOf(packages.length, 'package')}`,
      to: () => `/board/${encodeURIComponent(name)}`,
    })),
    ...pasted.map(({ id, title }): Entry => ({
      kind: 'Boards',
      label: title,
      note: 'board on this device',
      to: () => `/board?${new URLSearchParams({ kept: id }).toString()}`,
    })),
  ]
}

function wallEntries(shared: readonly Wall[], own: readonly Wall[]): readonly Entry[] {
  return [
    { kind: 'Walls', label: 'All projects', note: 'wall', to: () => '/wall' },
    ...[...own, ...shared].map(({ name, title = name }): Entry => ({
      kind: 'Walls',
      label: title,
      also: name,
      note: own.some((wall) => wall.name === name) ? 'wall on this device' : 'wall',
      to: () => `/wall/${encodeURIComponent(name)}`,
    })),
  ]
}

function queryEntries(
  saved: readonly {
    readonly name: string
    readonly query: string
    readonly zone?: string | null | undefined
  }[],
): readonly Entry[] {
  return saved.map(({ name, query, zone }) => ({
    kind: 'Saved queries',
    label: name,
    also: query,
    note: query,
    to: found(query, zone ?? undefined),
  }))
}

/** A query that was run before, anywhere or on this device. */
function historyEntry(query: string): Entry {
  return { kind: 'Query history', label: query, note: 'query you ran', to: found(query) }
}

/** The tests that were read last here; where none were, those that the server knows by this name. */
function useKnownTests(typed: string): readonly TestRow[] {
  const { ofBuilds } = useServices()
  const { data: known } = useQuery({
    queryKey: ['known-tests'],
    queryFn: async () => (await ofBuilds()).testReports.known(),
    // What was read is in memory: it is looked at each time the palette opens.
    gcTime: 0,
  })
  const wanted = useRested(typed, 250)
  const isWanted = known?.length === 0 && wanted.length >= fewestLetters
  const { data: found = noTests } = useQuery({
    queryKey: ['found-tests', wanted],
    queryFn: isWanted
      ? async ({ signal }) => (await ofBuilds()).testReports.find(wanted, signal)
      : skipToken,
    staleTime: 60_000,
    retry: false,
  })
  return known === undefined || known.length === 0 ? found : known
}

/** Fewer are in too many names. */
const fewestLetters = 3

const noTests: readonly TestRow[] = []

function testEntry({ test }: TestRow): Entry {
  return {
    kind: 'Tests',
    label: fullTestName(test),
    // Several tasks may run one test.
    note: ['test', test.project, test.task].filter(Boolean).join(' '),
    to: () => testsLink({ test }),
  }
}

function projectEntry({ value, count }: { value: string; count: number }): Entry {
  return {
    kind: 'Projects',
    label: value,
    note: `project, ${countOf(count, 'build')} in the feed`,
    to: found(`project:${quoteValue(value)}`),
  }
}

/** A package and its scans; the address is made when it is opened: there may be ten thousand of them. */
interface NamedPackage {
  readonly label: string
  readonly scans: readonly string[]
  readonly linkTo: (scan?: string) => string
}

function remembered(packages: DevicePreferences['packages'] = []): readonly NamedPackage[] {
  return packages.map((one) => ({
    label: packageText(one.address),
    scans: one.scans,
    linkTo: (scan) => packageLink(one.address, one, scan),
  }))
}

function configured(config: ProxyConfig | undefined): readonly NamedPackage[] {
  const onBoards = config?.boards.flatMap(({ packages, scans }) =>
    packages.map((one) => (one.scans.length === 0 ? { ...one, scans } : one)),
  )
  return [...(config?.packages ?? []), ...(onBoards ?? [])].map((one) => ({
    label: one.purl,
    scans: one.scans,
    linkTo: (scan) => {
      const read = readPackageReference(one.purl)
      return read.ok ? packageLink(read.reference.address, one, scan) : '/packages'
    },
  }))
}

/** Each package once, and its scans: a package of this device may be configured, too. */
function packageEntries(packages: readonly NamedPackage[]): readonly Entry[] {
  const entries = new Map<string, Entry>()
  for (const { label, scans, linkTo } of packages) {
    if (!entries.has(label)) {
      entries.set(label, { kind: 'Packages', label, note: 'package', to: () => linkTo() })
    }
    for (const scan of scans) {
      const named = `${label} ${scan}`
      if (!entries.has(named)) {
        const to = (): string => linkTo(scan)
        entries.set(named, { kind: 'Policy scans', label: named, note: 'policy scan', to })
      }
    }
  }
  return [...entries.values()]
}

/** With fewer letters some id of the feed begins by chance with what is meant for something else. */
const fewLetters = 6

/** Builds of the feed by a part of their id, and any build by all of it. */
function buildEntries(feed: Parameters<typeof findBuilds>[0], typed: string): readonly Entry[] {
  const isByChance = typed.trim().length < fewLetters
  const rows = findBuilds(feed, typed).map(({ build: { buildId }, facts }): Entry => ({
    kind: 'Builds',
    label: buildId,
    also: typed,
    isByChance,
    note: ['build', facts?.project, facts?.outcome].filter((part) => part).join(' '),
    to: () => `/builds/${buildId}`,
  }))
  const named = namedBuild(typed)
  return named === undefined || rows.some(({ label }) => label === named)
    ? rows
    : [
        ...rows,
        { kind: 'Builds', label: named, also: typed, note: 'build', to: () => `/builds/${named}` },
      ]
}
