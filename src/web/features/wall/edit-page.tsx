import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { Link, useLocation, useParams } from 'react-router'
import { problemWords } from '../../data/core/problem-words.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { useServices } from '../../data/core/services.ts'
import { useWalls } from '../../data/wall/walls.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import page from '../../ui/page.module.css'
import { EmptyState, PageHeader } from '../../ui/page.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'
import { chooseWall } from './wall-choice.ts'
import { WallEditor } from './wall-editor.tsx'
import { keptWallSettings, linkParameters } from './wall-link.ts'
import { latestOf, startOf, startOfDeleted } from './use-wall-draft.ts'

/** Edits a wall: one that everybody has, one of this device or of a link, or a new one. */
export function EditWallPage(): ReactElement {
  const { name = '' } = useParams()
  const { search, hash } = useLocation()
  const { walls: saved, wallSettings } = usePreferences()
  const config = useQuery(configQuery(useServices().request))
  const walls = useWalls()
  const { data } = walls
  const start = useMemo(() => {
    const known = {
      device: saved ?? [],
      configured: data?.walls ?? [],
      settings: keptWallSettings(wallSettings),
    }
    return startOf(name, chooseWall(name, linkParameters(search, hash), known), data?.walls ?? [])
  }, [name, search, hash, saved, data, wallSettings])
  if (data === undefined) {
    return (
      <div className={page.page}>
        {walls.error === null ? (
          <PageHeader sentence="Loading wall…" />
        ) : (
          <ProblemPanel
            isPage
            problem={problemWords(walls.error, {
              action: 'show',
              noun: 'this wall',
              server: 'Sightline server',
            })}
            retry={{ label: 'Try again', run: walls.refetch }}
          />
        )}
      </div>
    )
  }
  const deleted = data.deleted.find((wall) => wall.name === name)
  if (start === undefined && deleted === undefined) {
    return (
      <EmptyState
        heading="h1"
        title={`Wall “${name}” not found.`}
        action={<Link to="/walls">All walls</Link>}
      >
        <p>It isn't configured, saved for everyone, or saved on this device.</p>
      </EmptyState>
    )
  }
  return (
    <WallEditor
      // Another link is another wall; what others save of this one is shown beside what is typed.
      key={`${name} ${search}${hash}`}
      start={start ?? startOfDeleted(name, deleted)}
      latest={latestOf(name, data.walls, deleted)}
      walls={data.walls}
      packages={config.data?.packages ?? []}
    />
  )
}
