import { type ReactElement, useMemo } from 'react'
import { Link } from 'react-router'
import type { DecodedItem } from '../../../attestation/decode-tree.ts'
import type { Explanation } from '../../../attestation/explain.ts'
import type { FactList } from '../../../attestation/facts.ts'
import { visibleText } from '../../../attestation/visible-text.ts'
import { countText } from '../../../protocol/count.ts'
import { FactRows, NamedRows } from './fact-rows.tsx'
import { FactValue } from './fact-value.tsx'
import css from './item-view.module.css'
import factsCss from './facts.module.css'
import { LongList } from './long-list.tsx'
import { originsOf } from './origins.ts'
import { StrangerLink } from './stranger-link.tsx'
import { SubjectList } from './subject-list.tsx'
import type { ComparedSubject } from './subject-line.ts'
import { Visible } from './visible.tsx'

/** What the attestation claims: what kind of claim it is, about whom, and its facts. */
export function SaysTab({
  item,
  explanation,
  compared,
}: {
  item: DecodedItem
  explanation: Explanation | undefined
  compared: readonly ComparedSubject[]
}): ReactElement {
  const { statement } = item
  if (statement === undefined || explanation === undefined) {
    return <p>The payload is no in-toto statement. The payload itself shows what it is.</p>
  }
  return (
    <>
      <section className={css.section}>
        <h2>{explanation.name}</h2>
        <p className={css.text}>
          If it holds: {explanation.proves.charAt(0).toLowerCase()}
          {explanation.proves.slice(1)}
        </p>
        {explanation.near !== undefined && (
          <p className={css.text}>
            The nearest known type is {explanation.near.name} ({visibleText(explanation.near.type)}
            ).
          </p>
        )}
        <NamedRows
          rows={[
            [
              'Type',
              statement.predicateType === undefined ? (
                'not said'
              ) : (
                <StrangerLink key="type" address={statement.predicateType}>
                  <Visible text={statement.predicateType} />
                </StrangerLink>
              ),
            ],
          ]}
        />
        <FactRows rows={explanation.rows} />
        <Origins explanation={explanation} />
      </section>
      <SubjectList item={item} compared={compared} />
      {explanation.lists.map((list, at) => (
        <FactListSection key={at} list={list} />
      ))}
    </>
  )
}

function Origins({ explanation }: { explanation: Explanation }): ReactElement | null {
  const origins = useMemo(() => originsOf(explanation), [explanation])
  if (origins.length === 0) return null
  return (
    <ul className={css.origins} aria-label="Where it came from">
      {origins.map((origin) => (
        <li key={origin.text}>
          {'to' in origin ? (
            <Link to={origin.to}>{origin.text}</Link>
          ) : (
            <StrangerLink address={origin.address}>{origin.text}</StrangerLink>
          )}
        </li>
      ))}
    </ul>
  )
}

function FactListSection({ list }: { list: FactList }): ReactElement {
  return (
    <section className={css.section}>
      <h2>
        <Visible text={list.label} most={200} />{' '}
        <span className={css.dim}>{countText(list.length)}</span>
      </h2>
      <LongList
        label={visibleText(list.label.slice(0, 200))}
        length={list.length}
        item={(index) => {
          const { details, ...item } = list.at(index)
          return (
            <div className={factsCss.item}>
              <FactValue {...item} />
              {details.length > 0 && (
                <div className={factsCss.details}>
                  {details.map((detail, at) => (
                    <span key={at}>
                      <Visible text={detail.label} most={200} />: <FactValue {...detail} />
                    </span>
                  ))}
                </div>
              )}
            </div>
          )
        }}
      />
    </section>
  )
}
