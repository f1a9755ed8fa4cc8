import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { copyText } from '../../ui/copy.tsx'
import { countOf } from '../../../protocol/count.ts'
import { publishLink } from '../../domain/package/package-links.ts'
import { toast } from '../../ui/toast.ts'
import css from './builds-page.module.css'

/** What can be done with the builds that were chosen; in the order of the list. */
export function SelectionBar({
  ids,
  onClear,
}: {
  ids: readonly string[]
  onClear: () => void
}): ReactElement | null {
  const [first, second, ...more] = ids
  if (first === undefined) return null
  return (
    <div className={css.selection} role="group" aria-label="Chosen builds">
      <span>{`${countOf(ids.length, 'build')} chosen`}</span>
      {second !== undefined && more.length === 0 ? (
        <Button
          size="compact-xs"
          variant="default"
          component={Link}
          to={`/builds/${first}?${new URLSearchParams({ compare: second }).toString()}`}
        >
          Compare
        </Button>
      ) : (
        <Button size="compact-xs" variant="default" disabled title="Choose two builds to compare">
          Compare
        </Button>
      )}
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => {
          void copyIds(ids)
        }}
      >
        Copy ids
      </Button>
      <Button size="compact-xs" variant="default" component={Link} to={publishLink(ids)}>
        Publish
      </Button>
      <Button size="compact-xs" variant="subtle" onClick={onClear}>
        Choose none
      </Button>
    </div>
  )
}

async function copyIds(ids: readonly string[]): Promise<void> {
  if (await copyText(ids.join('\n'))) await toast(`${countOf(ids.length, 'id')} copied.`)
}
