import '@mantine/spotlight/styles.layer.css'
import { useMantineColorScheme } from '@mantine/core'
import { Spotlight } from '@mantine/spotlight'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { useNavigate } from 'react-router'
import { usePreferences, usePreferenceStore } from '../ui/device-preferences.ts'
import { KeyHint, useKeyRegistry } from '../ui/keys.tsx'
import { searchAddress } from '../features/builds/search-address.ts'
import { useKnownPackages } from '../features/packages/known-packages.ts'
import {
  findBoards,
  findBuilds,
  findPackages,
  findSearches,
  type OfferedPlace,
} from './palette-search.ts'
import { pages } from './pages.ts'
import css from './shell.module.css'
import { Queries } from '../data/core/queries.tsx'
import { configQuery } from '../data/core/server-config.ts'
import { useServices } from '../data/core/services.ts'

/** Something that can be chosen. */
interface Entry {
  readonly label: string
  readonly description?: string
  readonly keys?: string
  readonly run: () => void
}

/** Finds pages, boards, packages and their scans, builds of the feed by their id, searches, and commands. */
export function Palette(): ReactElement {
  return (
    <Queries>
      <FindDialog />
    </Queries>
  )
}

function FindDialog(): ReactElement {
  const [query, setQuery] = useState('')
  const groups = useEntries(query).filter(({ entries }) => entries.length > 0)
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight={400}
      // What keeps the page from scrolling writes a style element that the CSP forbids.
      lockScroll={false}
      attributes={{ content: { 'aria-label': 'Command palette' } }}
      overlayProps={{ backgroundOpacity: 0.45 }}
    >
      <Spotlight.Search placeholder="Page, package, board, build id or search" aria-label="Find" />
      <Spotlight.ActionsList>
        {groups.length === 0 && (
          <Spotlight.Empty>
            No page, package, board, build, search or command matches.
          </Spotlight.Empty>
        )}
        {groups.map(({ heading, entries }) => (
          <Spotlight.ActionsGroup key={heading} label={heading}>
            {entries.map(({ label, description, keys, run }) => (
              <Spotlight.Action key={label} onClick={run} className={css.action}>
                <span className={css.label}>{label}</span>
                {description !== undefined && <span className={css.dim}>{description}</span>}
                {keys !== undefined && <KeyHint keys={keys} />}
              </Spotlight.Action>
            ))}
          </Spotlight.ActionsGroup>
        ))}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

function useEntries(
  query: string,
): readonly { readonly heading: string; readonly entries: readonly Entry[] }[] {
  const navigate = useNavigate()
  const { feed, request } = useServices()
  const { data: config } = useQuery(configQuery(request))
  const { remembered, configured } = useKnownPackages()
  const commands = useCommands()
  const { savedQueries } = usePreferences()
  const entryOf = ({ label, description, to }: OfferedPlace): Entry => ({
    label,
    description,
    run: () => void navigate(to),
  })
  const isMeant = ({ label }: Entry): boolean =>
    label.toLowerCase().includes(query.trim().toLowerCase())
  return [
    {
      heading: 'Pages',
      entries: pages
        .map(({ path, label, key }) => ({
          label,
          keys: `g ${key}`,
          run: () => void navigate(path),
        }))
        .filter(isMeant),
    },
    { heading: 'Boards', entries: findBoards(config?.boards ?? [], query).map(entryOf) },
    {
      heading: 'Packages',
      entries: findPackages([...remembered, ...configured], query).map(entryOf),
    },
    {
      heading: 'Builds',
      entries: findBuilds(feed.getSnapshot(), query).map(({ build, facts }) => ({
        label: build.buildId,
        description: [facts?.project, facts?.outcome].filter((part) => part).join(' '),
        run: () => void navigate(`/builds/${build.buildId}`),
      })),
    },
    { heading: 'Commands', entries: commands.filter(isMeant) },
    {
      heading: 'Searches',
      entries: findSearches(query, savedQueries).map(({ label, query: text, zone }) => ({
        label,
        ...(label.endsWith(text) ? {} : { description: text }),
        run: () => {
          const address = searchAddress.write({ query: text, zone, columns: undefined })
          void navigate(`/builds?${address.toString()}`)
        },
      })),
    },
  ]
}

/** The switches of this device, and what the screen below offers by key. */
function useCommands(): readonly Entry[] {
  const registry = useKeyRegistry()
  const preferences = usePreferenceStore()
  const { zone } = usePreferences()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const schemes = { light: 'light', dark: 'dark', auto: 'system' } as const
  return [
    ...registry
      .groups()
      .flatMap(({ bindings }) => bindings)
      .filter(({ isCommand }) => isCommand)
      .map(({ label, keys, run }) => ({ label, keys: keys[0], run })),
    {
      label: zone === 'utc' ? 'Show local times' : 'Show times in UTC',
      run: () => {
        preferences.change({ zone: zone === 'utc' ? 'local' : 'utc' })
      },
    },
    ...(['light', 'dark', 'auto'] as const)
      .filter((scheme) => scheme !== colorScheme)
      .map((scheme) => ({
        label: `Color scheme: ${schemes[scheme]}`,
        run: () => {
          setColorScheme(scheme)
        },
      })),
  ]
}
