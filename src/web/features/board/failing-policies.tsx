import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import type { BoardPackage } from '../../../policy/board.ts'
import type { RowCell } from '../../../policy/board-row.ts'
import { policyKey, policyName } from '../../../policy/policy-name.ts'
import type { BoardOutcome } from '../../../protocol/board-run.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { waiversQuery } from '../../data/scans/waivers.ts'
import { countOf } from '../../../protocol/count.ts'
import { packageText } from '../../domain/package/package-words.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { WaiverMark } from '../../domain/waiver/waiver-mark.tsx'
import css from './board-table.module.css'
import type { WaiverWish } from './waiver-wish.ts'

/**
 * The policies that a cell fails, each with its waiver beside what the service says; those who may
 * give or end one find the button here.
 */
export function FailingPolicies({
  of: { address, sha256 },
  cell: { place, waived },
  outcome: { failing, counts },
  onWish,
}: {
  of: BoardPackage
  cell: RowCell
  outcome: BoardOutcome
  onWish: (wish: WaiverWish) => void
}): ReactElement {
  const path = packagePath(address)
  const { data, error } = useQuery(waiversQuery(useRequest(), path))
  const unnamed = counts.unsatisfied + counts.unknown - failing.length
  return (
    <>
      {error !== null && failing.length > 0 && (
        <p>
          {data === undefined
            ? 'Waivers are not counted here, as they cannot be read: '
            : 'Waivers are shown as they were read last, and may have changed since: '}
          {error.message}
        </p>
      )}
      <ul className={css.policies}>
        {failing.map(({ uri, status, remedy }) => {
          const { name } = policyName(uri)
          const isFailing = status === 'unsatisfied'
          const waiver = isFailing ? waived.get(policyKey(uri)) : undefined
          return (
            <li key={uri} data-policy-uri={uri} className={css.policy}>
              <StatusMark tone={isFailing ? 'bad' : 'waiting'} word={status} />
              <span className={css.told}>
                <strong>{name}</strong> {remedy}
                {waiver !== undefined && (
                  <>
                    {' '}
                    <WaiverMark waiver={waiver} />
                  </>
                )}
              </span>
              {data?.mayWaive === true && isFailing && (
                <Button
                  size="xs"
                  variant="default"
                  className={css.waive}
                  aria-label={
                    waiver === undefined ? `Waive ${name}…` : `End the waiver of ${name}…`
                  }
                  onClick={({ currentTarget: from }) => {
                    onWish(
                      waiver === undefined
                        ? {
                            is: 'give',
                            policyUri: uri,
                            scan: { packagePath: path, sha256, scan: place.scan },
                            of: `${packageText(address)}, scan ${place.scan}`,
                            longestMs: data.longestMs,
                            from,
                          }
                        : { is: 'end', policyUri: uri, waiver, from },
                    )
                  }}
                >
                  {waiver === undefined ? 'Waive…' : 'End the waiver…'}
                </Button>
              )}
            </li>
          )
        })}
        {unnamed > 0 && (
          <li className={css.dim}>
            And {countOf(unnamed, 'more policy', 'more policies')}: the policy scan names all.
          </li>
        )}
      </ul>
    </>
  )
}
