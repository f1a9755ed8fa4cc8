import { Button, Group, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { useWallHistory } from '../../data/wall/walls.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import css from './edit-page.module.css'
import { revisionText } from './wall-revisions.ts'

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
  const revisions = history.data?.pages.flatMap((page) => page.revisions) ?? []
  const [newest] = revisions
  return (
    <Section title="History">
      {!isSaved && <Text c="dimmed">No revisions yet. Each save for everyone is kept here.</Text>}
      {history.error !== null && (
        <Notice tone="bad" role="alert">
          {history.error.message}
        </Notice>
      )}
      <ol className={css.revisions} aria-label="Revisions">
        {revisions.map((revision, index) => {
          const { number, by, at, note } = revision
          return (
            <li key={number} className={css.revision}>
              <Group justify="space-between" gap={8} wrap="nowrap">
                <span>
                  <strong>Revision {number}</strong>{' '}
                  <span className={css.dim}>
                    {by} · <RelativeTime at={at} />
                  </span>
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
              <ul className={`${css.changes} ${css.dim}`}>
                {revisionText(revision, revisions[index + 1]).map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </ul>
            </li>
          )
        })}
      </ol>
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
