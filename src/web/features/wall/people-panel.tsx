import { Stack, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { TilePeopleControls } from '../../domain/wall/tile-people.tsx'
import type { PanelProps } from './wall-commands.ts'

/** The failing tiles of a wall, who is on each, and which of them sleep. */
export function PeoplePanel({ placed, tile: opened }: PanelProps): ReactElement {
  const failing = placed
    .filter(({ status, claimKey }) => status === 'failing' && claimKey)
    // The one at which it was opened comes first.
    .toSorted((a, b) => Number(b.key === opened) - Number(a.key === opened))
  if (failing.length === 0) return <Text>No tile of this wall is failing.</Text>
  return (
    <Stack gap={16}>
      <Text>Shown on every screen until the tile succeeds.</Text>
      {failing.map(({ key, title, query, branch, people = {} }) => (
        <section key={key} aria-label={title}>
          <Text fw={600}>{title}</Text>
          <TilePeopleControls
            title={title}
            tile={{ query, branch }}
            people={people}
            hasFocus={key === opened}
          />
        </section>
      ))}
    </Stack>
  )
}
