import { Button, Table, Text } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import { Link } from 'react-router'
import { countOf } from '../../../protocol/count.ts'
import type { OfferedWall, Wall, WallRevision } from '../../../protocol/wall.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { useWalls, useWallTask } from '../../data/wall/walls.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { Notice } from '../../ui/notice.tsx'
import page from '../../ui/page.module.css'
import { PageHeader, Section } from '../../ui/page.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.ts'
import { editPath, wallPath } from './wall-link.ts'

/** All walls: where each comes from, and what can be done with it. */
export function WallsPage(): ReactElement {
  const walls = useWalls()
  const { walls: onDevice = [] } = usePreferences()
  const { data } = walls
  if (data === undefined) {
    return (
      <div className={page.page}>
        {walls.error === null ? (
          <PageHeader sentence="Loading walls…" />
        ) : (
          <ProblemPanel
            isPage
            problem={problemWords(walls.error, {
              action: 'show',
              noun: 'the walls',
              server: 'Sightline server',
            })}
            retry={{ label: 'Try again', run: walls.refetch }}
          />
        )}
      </div>
    )
  }
  const hiding = new Set(onDevice.map(({ name }) => name))
  // Beside that of all projects.
  const count = data.walls.length + onDevice.length
  return (
    <div className={page.page}>
      <PageHeader
        sentence={
          count === 0
            ? 'No walls yet. Make one for the screens of your team.'
            : `${countOf(count + 1, 'wall')} for the screens of your teams.`
        }
        actions={
          <Button component={Link} to={editPath('')}>
            New wall
          </Button>
        }
      />
      <Table.ScrollContainer minWidth={0} className={page.box}>
        <Table aria-label="Walls">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Wall</Table.Th>
              <Table.Th scope="col">Tiles</Table.Th>
              <Table.Th scope="col">Source</Table.Th>
              <Table.Th scope="col">Actions</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Row wall={{ name: '', title: 'All projects', tiles: [] }}>Built in</Row>
            {onDevice.map((wall) => (
              <Row key={`device ${wall.name}`} wall={wall} action="Edit">
                This device
              </Row>
            ))}
            {data.walls.map((wall) => (
              <Row
                key={wall.name}
                wall={wall}
                action={wall.source === 'file' ? 'Duplicate to edit' : 'Edit'}
              >
                <Origin wall={wall} />
                {hiding.has(wall.name) && '; hidden on this device by its own'}
              </Row>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {data.hidden.length > 0 && (
        <Notice>
          {data.hidden.map(({ name }) => name).join(', ')}: saved for everyone, but hidden by a wall
          of the same name in the configuration file.
        </Notice>
      )}
      {data.deleted.length > 0 && <Deleted walls={data.deleted} />}
    </div>
  )
}

function Row({
  wall,
  action,
  children,
}: {
  wall: Pick<Wall, 'name' | 'title' | 'tiles'>
  /** Undefined where it can't be edited. */
  action?: string
  children: ReactNode
}): ReactElement {
  const { name, title = name, tiles } = wall
  return (
    <Table.Tr>
      <Table.Td>
        <Link to={wallPath(name)}>{title}</Link>
      </Table.Td>
      <Table.Td>{tiles.length === 0 ? 'One per project' : tiles.length}</Table.Td>
      <Table.Td>{children}</Table.Td>
      <Table.Td>
        {action !== undefined && (
          <Link to={editPath(name)} aria-label={`${action}: ${title}`}>
            {action}
          </Link>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function Origin({ wall }: { wall: OfferedWall }): ReactElement | string {
  const { source, number, by, at } = wall
  switch (source) {
    case 'file':
      return 'Configuration file'
    case 'demo':
      return 'Demo data'
    case 'saved':
      return (
        <>
          Revision {number} by {by}
          {at !== undefined && (
            <>
              {' '}
              <RelativeTime at={at} />
            </>
          )}
        </>
      )
  }
}

/** What was deleted, until the history is swept. */
function Deleted({ walls }: { walls: readonly WallRevision[] }): ReactElement {
  const task = useWallTask()
  return (
    <Section title="Deleted walls">
      {task.error !== null && (
        <Notice role="alert" tone="bad">
          {task.error.message}
        </Notice>
      )}
      <Table aria-label="Deleted walls">
        <Table.Tbody>
          {walls.map(({ name, title = name, number, by, at }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400}>
                {title}
              </Table.Th>
              <Table.Td>
                <Text span inherit c="dimmed">
                  Deleted by {by} <RelativeTime at={at} />
                </Text>
              </Table.Td>
              <Table.Td>
                <PermittedButton
                  permission="edit-walls"
                  variant="default"
                  size="compact-sm"
                  disabled={task.isPending}
                  aria-label={`Restore ${title}`}
                  onClick={() => {
                    task.mutate(
                      { is: 'restore', name, base: number, number },
                      { onSuccess: () => void toast(`Restored the wall ${title}.`) },
                    )
                  }}
                >
                  Restore
                </PermittedButton>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  )
}
