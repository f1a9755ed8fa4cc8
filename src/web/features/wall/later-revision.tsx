import { Button, Group } from '@mantine/core'
import type { ReactElement } from 'react'
import { type WallContent, WallContent as Content } from '../../../protocol/wall.ts'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { wallChanges } from './wall-revisions.ts'
import type { LatestWall } from './wall-start.ts'

/** What somebody else saved while this one was typing. */
export function LaterRevision({
  later,
  mine,
  since,
  onTake,
  onKeep,
}: {
  later: LatestWall
  /** Undefined where nothing was typed. */
  mine: WallContent | undefined
  since: WallContent
  onTake: () => void
  onKeep: () => void
}): ReactElement {
  const changes = wallChanges(since, Content.parse(later))
  return (
    <Notice
      role="status"
      action={
        <Group gap={8}>
          {!later.isDeleted && (
            <Button variant="default" onClick={onTake}>
              Use revision {later.number}
            </Button>
          )}
          {mine !== undefined && (
            <Button variant="default" onClick={onKeep}>
              Keep mine
            </Button>
          )}
        </Group>
      }
    >
      {later.by} {later.isDeleted ? 'deleted' : 'changed'} this wall <RelativeTime at={later.at} />{' '}
      (revision {later.number}).
      {changes.length > 0 && !later.isDeleted && ` ${changes.join('. ')}.`}
      {mine !== undefined && ' Your changes aren’t saved.'}
    </Notice>
  )
}
