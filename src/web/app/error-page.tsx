import type { ReactElement } from 'react'
import { useRouteError } from 'react-router'
import { ProblemPanel } from '../ui/problem.tsx'

/** In place of a page that broke; all else goes on. */
export function ErrorPage(): ReactElement {
  const error = useRouteError()
  return (
    <ProblemPanel
      problem={{
        title: 'This page could not be shown.',
        meaning:
          'Something in it went wrong, or a newer version of Sightline has taken its place. Loading it again most often helps; if it does not, the detail below is for whoever looks after Sightline.',
        detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }}
      retry={{
        label: 'Load again',
        run: () => {
          location.reload()
        },
      }}
    />
  )
}
