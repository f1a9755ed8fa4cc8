import { Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { peopleOf } from '../../../facts/tile-claim.ts'
import { tileKey } from '../../../protocol/claim.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { parse } from '../../../search/parse.ts'
import { canonicalQuery } from '../../../search/to-api.ts'
import { useServices } from '../../data/core/services.ts'
import { useClaims } from '../../data/wall/claims.ts'
import { RelativeTime } from '../../ui/time.tsx'
import { TilePeopleControls } from '../../domain/wall/tile-people.tsx'

/**
 * Who is on the tile of a wall that this build broke, and until when it sleeps, for whoever read its QR code. `since` is when the
 * failures began, epoch ms: what was said before was of others.
 */
export function TileClaim({
  query,
  branch,
  since,
  laterSuccess,
}: {
  query: string
  branch: string | undefined
  since: number
  /** The build that has succeeded since. */
  laterSuccess: Facts | undefined
}): ReactElement {
  const { proxyNow } = useServices().session
  const key = tileKey(canonicalQuery(parse(query)), branch)
  const said = useClaims().filter(({ tile }) => tile === key)
  const people = peopleOf(said, { status: 'failing', since, isOpen: false }, proxyNow())
  const isNobodys = people.claim === undefined && people.sleep === undefined
  return (
    <section aria-label="Tile of the wall">
      {laterSuccess !== undefined ? (
        <Text>
          Fixed <RelativeTime at={laterSuccess.receivedAt} />:{' '}
          <Link to={`/builds/${laterSuccess.buildId}`}>{laterSuccess.buildId}</Link> succeeded.
        </Text>
      ) : (
        isNobodys && <Text>Nobody is on this failure yet.</Text>
      )}
      <TilePeopleControls title={query} tile={{ query, branch }} people={people} />
    </section>
  )
}
