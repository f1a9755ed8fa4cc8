import type { ReactElement } from 'react'
import { Link } from 'react-router'
import type { Fact } from '../../../attestation/facts.ts'
import { isBuildId } from '../../../protocol/build-id.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { buildOfAddress } from './build-of-address.ts'
import css from './facts.module.css'
import { StrangerLink } from './stranger-link.tsx'
import { Visible } from './visible.tsx'

/** A value of an attestation, shown by its kind, with what is wrong with it. */
export function FactValue({
  value,
  kind,
  remark,
}: Pick<Fact, 'value' | 'kind' | 'remark'>): ReactElement {
  return (
    <span className={css.value}>
      <Value value={value} kind={kind} />
      {remark !== undefined && (
        <span className={css.remark}>
          <StatusMark tone="waiting" word={remark} />
        </span>
      )}
    </span>
  )
}

function Value({ value, kind }: Pick<Fact, 'value' | 'kind'>): ReactElement {
  switch (kind) {
    case 'uri': {
      const build = buildOfAddress(value)
      return (
        <>
          {build !== undefined && (
            <>
              <Link to={`/builds/${build}`}>Build {build}</Link>
              {' · '}
            </>
          )}
          <StrangerLink address={value}>
            <Visible text={value} />
          </StrangerLink>
        </>
      )
    }
    case 'buildId':
      return isBuildId(value) ? (
        <Link className={css.code} to={`/builds/${value}`}>
          {value}
        </Link>
      ) : (
        <Visible text={value} />
      )
    case 'digest':
    case 'purl':
      return (
        <span className={css.copied}>
          <code className={css.code}>
            <Visible text={value} />
          </code>
          <CopyButton text={value} what={kind === 'purl' ? 'package URL' : 'digest'} />
        </span>
      )
    case 'time':
    case 'text':
      return <Visible text={value} />
  }
}
