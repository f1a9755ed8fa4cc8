import type { ReactElement } from 'react'

/** What a wall of all projects shows where none is known. */
export const ofProjects =
  'This wall shows a tile for each project as soon as a build arrives. Press e to define your own tiles.'

/** In place of the tiles; until the application is there, public/frame.js says the same. */
export function WallLoading({
  heading: Heading,
  isOfProjects,
}: {
  heading: 'h1' | 'h2'
  isOfProjects: boolean
}): ReactElement {
  return (
    <>
      <Heading>Loading builds…</Heading>
      {isOfProjects && <p>{ofProjects}</p>}
    </>
  )
}
