import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import {
  type WallContent,
  WallContent as Content,
  type WallRevision,
  type WallTile,
} from '../../../protocol/wall.ts'
import { countOf } from '../../../protocol/count.ts'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { useWallHistory } from '../../data/wall/walls.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { Section } from '../../ui/page.tsx'
import type { LatestWall } from './use-wall-draft.ts'
import page from '../../ui/page.module.css'
import css from './edit-page.module.css'

/**
 * What differs between two states of a wall, a short sentence each: tiles by their titles, or by their queries where they
 * were renamed. None where they are the same.
 */
export function wallChanges(before: WallContent, after: WallContent): readonly string[] {
  const pairs = pairedTiles(before.tiles, after.tiles)
  const kept = new Set(pairs.map(({ from }) => from))
  const known = new Set(pairs.map(({ to }) => to))
  const added = after.tiles.filter((_, at) => !known.has(at))
  const removed = before.tiles.filter((_, at) => !kept.has(at))
  return [
    ...(before.title === after.title
      ? []
      : [after.title === undefined ? 'Title removed' : `Title: ${after.title}`]),
    ...(added.length === 0 ? [] : [`Added ${titlesOf(added)}`]),
    ...(removed.length === 0 ? [] : [`Removed ${titlesOf(removed)}`]),
    ...pairs.flatMap((pair) => tileChanges(pair.before, pair.after)),
    ...(isReordered(pairs) ? ['Order of the tiles changed'] : []),
    ...(before.order === after.order
      ? []
      : [after.order === 'stable' ? 'Fixed places' : 'Failing first']),
    ...(before.group === after.group ? [] : [groups[after.group]]),
  ]
}

/** What a revision did, in a line; `before` is the one it followed, undefined where that is not known. */
export function revisionText(
  revision: WallRevision,
  before: WallRevision | undefined,
): readonly string[] {
  const { deleted, restored, tiles, number } = revision
  if (deleted) return ['Deleted']
  const again = restored === null ? [] : [`Restored revision ${restored}`]
  if (before === undefined) {
    return number === 1 ? [`Created with ${countOf(tiles.length, 'tile')}`] : again
  }
  if (before.deleted && restored === null) return [`Created with ${countOf(tiles.length, 'tile')}`]
  const changes = wallChanges(before, revision)
  return [...again, ...(changes.length === 0 && again.length === 0 ? ['No changes'] : changes)]
}

const groups: Record<WallContent['group'], string> = {
  none: 'Not grouped',
  project: 'Grouped by project',
  tool: 'Grouped by build tool',
}

/** A tile before and after, and where it stood. */
interface Pair {
  readonly from: number
  readonly to: number
  readonly before: WallTile
  readonly after: WallTile
}

/** First those that are equal, then those of one title, then those of one query; in the order that they have now. */
function pairedTiles(before: readonly WallTile[], after: readonly WallTile[]): readonly Pair[] {
  const rest = new Map(after.entries())
  const left = new Map(before.entries())
  const pairs: Pair[] = []
  for (const keyOf of keys) {
    const places = new Map<string, number[]>()
    for (const [to, tile] of rest) {
      const key = keyOf(tile)
      places.set(key, [...(places.get(key) ?? []), to])
    }
    for (const [from, tile] of left) {
      const to = places.get(keyOf(tile))?.shift()
      const match = to === undefined ? undefined : rest.get(to)
      if (to === undefined || match === undefined) continue
      pairs.push({ from, to, before: tile, after: match })
      rest.delete(to)
      left.delete(from)
    }
  }
  return pairs.sort((one, other) => one.to - other.to)
}

const keys: readonly ((tile: WallTile) => string)[] = [
  ({ title, query, branch = '' }) => JSON.stringify([title, query, branch]),
  ({ title }) => title,
  ({ query }) => query,
]

function tileChanges(before: WallTile, after: WallTile): string[] {
  const { title } = after
  return [
    ...(before.title === title ? [] : [`Renamed ${before.title} to ${title}`]),
    ...(before.query === after.query ? [] : [`${title}: query is now ${after.query}`]),
    ...(before.branch === after.branch ? [] : [`${title}: ${branchText(after.branch)}`]),
    ...(before.pinned === after.pinned ? [] : [`${title}: ${after.pinned ? '' : 'un'}pinned`]),
  ]
}

function branchText(branch: string | undefined): string {
  if (branch === undefined) return 'default branch'
  return branch === '*' ? 'all branches' : `branch ${branch}`
}

function isReordered(pairs: readonly Pair[]): boolean {
  return pairs.some(({ from }, index) => from < (pairs[index - 1]?.from ?? 0))
}

const mostTitles = 5

function titlesOf(tiles: readonly WallTile[]): string {
  const names = tiles.slice(0, mostTitles).map(({ title }) => title)
  const more = tiles.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}

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
      {mine !== undefined && " Your changes aren't saved."}
    </Notice>
  )
}

/** What a wall was: who saved it when, what that changed, and a way back to each. */
export function WallHistory({
  name,
  isSaved,
  isBusy,
  onRestore,
}: {
  name: string
  /** Whether there are revisions of it. */
  isSaved: boolean
  isBusy: boolean
  /** Revision `number` is to be the newest again; `newest` is the one that is now. */
  onRestore: (number: number, newest: number) => void
}): ReactElement {
  const history = useWallHistory(name, isSaved)
  const revisions = history.data?.pages.flatMap(({ revisions: some }) => some) ?? []
  const [newest] = revisions
  return (
    <Section title="History">
      {!isSaved && <Text c="dimmed">No revisions yet. Each save for everyone is kept here.</Text>}
      {history.error !== null && (
        <Notice tone="bad" role="alert">
          {history.error.message}
        </Notice>
      )}
      <Stack component="ol" gap={12} className={page.plain} aria-label="Revisions">
        {revisions.map((revision, index) => {
          const { number, by, at, note } = revision
          return (
            <Stack component="li" key={number} gap={4} className={css.revision}>
              <Group justify="space-between" gap={8} wrap="nowrap">
                <span>
                  <strong>Revision {number}</strong>{' '}
                  <Text span inherit c="dimmed">
                    {by} · <RelativeTime at={at} />
                  </Text>
                </span>
                {newest !== undefined && revision !== newest && !revision.deleted && (
                  <PermittedButton
                    permission="edit-walls"
                    variant="default"
                    size="compact-sm"
                    disabled={isBusy}
                    aria-label={`Restore revision ${number}`}
                    onClick={() => {
                      onRestore(number, newest.number)
                    }}
                  >
                    Restore
                  </PermittedButton>
                )}
              </Group>
              {note !== '' && <span>{note}</span>}
              <Text
                component="ul"
                inherit
                c="dimmed"
                className={page.plain}
                style={{ overflowWrap: 'anywhere' }}
              >
                {revisionText(revision, revisions[index + 1]).map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </Text>
            </Stack>
          )
        })}
      </Stack>
      {history.hasNextPage && (
        <Button
          variant="default"
          loading={history.isFetchingNextPage}
          onClick={() => void history.fetchNextPage()}
        >
          Show older revisions
        </Button>
      )}
    </Section>
  )
}
