import type { ReactElement } from 'react'

/** What a wall of all projects shows where none is known. */
export const ofProjects =
  'This wall shows a tile for each project as soon as a build arrives. Press e to define your own tiles.'

/** In place of the tiles; until the application is there, public/frame.js says the same. */
export function WallLoading({ isOfProjects }: { isOfProjects: boolean }): ReactElement {
  return (
    <>
      <h2>Loading builds…</h2>
      {isOfProjects && <p>{ofProjects}</p>}
    </>
  )
}
