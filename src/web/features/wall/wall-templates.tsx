import { Button, Menu } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { originOf } from '../../../facts/tile-branch.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { shortText } from '../../../protocol/untrusted-text.ts'
import {
  longestTileTitle,
  longestWallTitle,
  mostTiles,
  type WallContent,
  type WallTile,
} from '../../../protocol/wall.ts'
import { quoteValue } from '../../../search/values/text.ts'
import { countOf } from '../../../protocol/count.ts'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'
import { MenuCaret } from '../../ui/menu-caret.tsx'
import { newestBuilds } from './tile-editor.tsx'

/** Begins a wall with what is known here: all projects, a release, or a team. */
export function TemplateChoice({
  packages,
  onChoose,
}: {
  packages: KnownWork['packages']
  onChoose: (content: WallContent) => void
}): ReactElement {
  const { feed } = useServices()
  // For as long as the page is there the feed is followed: what it knows makes the templates.
  useStore(feed, ({ connection }) => connection.state)
  const [known, setKnown] = useState<KnownWork>()
  const choices = known === undefined ? [] : [releaseNight(known), allProjects(known)]
  return (
    <Menu
      position="bottom-start"
      onOpen={() => {
        setKnown({ builds: newestBuilds(feed), packages })
      }}
    >
      <Menu.Target>
        <Button variant="default" rightSection={<MenuCaret />}>
          Use a template
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah="60vh" style={{ overflow: 'auto' }}>
        {choices.map((template) => (
          <Choice key={template.label} template={template} onChoose={onChoose} />
        ))}
        {known !== undefined && (
          <>
            <Menu.Label>One team</Menu.Label>
            {teams(known).map((template) => (
              <Choice key={template.label} template={template} onChoose={onChoose} />
            ))}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function Choice({
  template: { label, about, content, all },
  onChoose,
}: {
  template: WallTemplate
  onChoose: (content: WallContent) => void
}): ReactElement {
  return (
    <Menu.Item
      title={about}
      onClick={() => {
        onChoose(content)
      }}
    >
      {label}, {content.tiles.length < all && `${content.tiles.length} of `}
      {countOf(all, 'tile')}
    </Menu.Item>
  )
}

/** What walls are made from: builds that are known here, the newest first, and configured packages. */
export interface KnownWork {
  readonly builds: readonly Facts[]
  readonly packages: readonly { readonly purl: string; readonly owner?: string | undefined }[]
}

/** A wall to begin with. */
interface WallTemplate {
  readonly label: string
  readonly about: string
  /** With the first tiles, as many as a wall has. */
  readonly content: WallContent
  /** How many tiles there would be. */
  readonly all: number
}

/** A tile for each project, by name. */
export function allProjects(known: KnownWork): WallTemplate {
  const projects = projectsOf(known.builds)
  return {
    label: 'All projects',
    about: 'A tile for each project that has built lately.',
    ...templateOf('All projects', projects.map(projectTile)),
  }
}

/**
 * Each project that is released, by its default branch, and the release branch that it last built, which stays in
 * front. Released is what a configured package is of; every project where none is configured.
 */
export function releaseNight(known: KnownWork): WallTemplate {
  const projects = projectsOf(known.builds)
  const released = projectsOfPackages(known.packages, projects)
  const chosen = released.length === 0 ? projects : released
  const tiles = chosen.flatMap((project): WallTile[] => {
    const branch = releaseBranch(known.builds, project)
    const main = projectTile(project)
    return branch === undefined
      ? [main]
      : [{ ...main, title: `${project} ${branch}`, branch, pinned: true }, main]
  })
  return {
    label: 'Release night',
    about: 'The projects of the configured packages, with their release branches in front.',
    ...templateOf('Release night', tiles),
  }
}

/**
 * A wall for each team: the projects of the packages that it owns, and projects whose names begin alike
 * (`shop-cart`, `shop-search`). By name.
 */
export function teams(known: KnownWork): readonly WallTemplate[] {
  const projects = projectsOf(known.builds)
  const owners = new Map<string, KnownWork['packages'][number][]>()
  for (const one of known.packages) {
    if (one.owner !== undefined) owners.set(one.owner, [...(owners.get(one.owner) ?? []), one])
  }
  const owned = [...owners].map(([owner, packages]): WallTemplate => ({
    label: owner,
    about: `The projects of the packages of ${owner}.`,
    ...templateOf(owner, projectsOfPackages(packages, projects).map(projectTile)),
  }))
  const prefixes = new Map<string, string[]>()
  for (const project of projects) {
    const [prefix = ''] = project.split(/[-_./ ]/)
    if (prefix !== project && prefix !== '') {
      prefixes.set(prefix, [...(prefixes.get(prefix) ?? []), project])
    }
  }
  const alike = [...prefixes].flatMap(([prefix, names]): WallTemplate[] =>
    names.length < 2 || owners.has(prefix)
      ? []
      : [
          {
            label: prefix,
            about: `The projects whose names begin with ${prefix}.`,
            ...templateOf(prefix, names.map(projectTile)),
          },
        ],
  )
  return [...owned, ...alike].sort((a, b) => a.label.localeCompare(b.label, 'en'))
}

function templateOf(
  title: string,
  tiles: readonly WallTile[],
): Pick<WallTemplate, 'content' | 'all'> {
  const content: WallContent = {
    title: shortText(title, longestWallTitle),
    tiles: tiles
      .slice(0, mostTiles)
      .map((tile) => ({ ...tile, title: shortText(tile.title, longestTileTitle) })),
    order: 'failing-first',
    group: 'none',
  }
  return { content, all: tiles.length }
}

function projectTile(project: string): WallTile {
  return { title: project, query: `project:${quoteValue(project)}`, pinned: false }
}

/** Each once, in whatever case it is written; by name. */
function projectsOf(builds: readonly Facts[]): readonly string[] {
  const names = new Map<string, string>()
  for (const { project } of builds) {
    if (typeof project === 'string' && project !== '') names.set(project.toLowerCase(), project)
  }
  return [...names.values()].sort((a, b) => a.localeCompare(b, 'en'))
}

/** A package belongs to the project of its name, or to the one with which its name begins, the longest; else its name is taken for one. */
function projectsOfPackages(
  packages: KnownWork['packages'],
  projects: readonly string[],
): readonly string[] {
  const found = packages.flatMap(({ purl }) => {
    const read = readPackageReference(purl)
    if (!read.ok) return []
    const { name } = read.reference.address
    const meant = projects
      .filter((project) => {
        const [whole, begin] = [name.toLowerCase(), project.toLowerCase()]
        return whole === begin || whole.startsWith(`${begin}-`)
      })
      .sort((a, b) => b.length - a.length)
    return meant[0] ?? name
  })
  return [...new Set(found)].sort((a, b) => a.localeCompare(b, 'en'))
}

const isRelease = /^(?:release|rel|hotfix|stable)[/_-]|^v?\d+\.\d+/i

function releaseBranch(builds: readonly Facts[], project: string): string | undefined {
  const wanted = project.toLowerCase()
  return builds
    .map(originOf)
    .find((origin) => origin.project === wanted && isRelease.test(origin.branch ?? ''))?.branch
}
