import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { branchOf } from '../../../facts/failure-streak.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { configQuery } from '../../data/core/proxy-config.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { durationText } from '../../ui/format.ts'
import { Fact } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import css from './build-aside.module.css'
import { attestationLinks } from './attestation-links.ts'
import { buildLinks } from './build-links.ts'
import type { Knowledge } from './use-knowledge.ts'
import { WebLink } from './web-link.tsx'

/** The facts of a build, and where to go from it. */
export function BuildAside({
  buildId,
  knowledge,
}: {
  buildId: string
  knowledge: Knowledge
}): ReactElement {
  const { facts } = knowledge
  return (
    <aside className={css.aside} aria-label="Facts of the build">
      {facts === undefined ? (
        <p className={css.dim}>Facts are on their way.</p>
      ) : (
        <KnownFacts facts={facts} />
      )}
      <BuildLinks buildId={buildId} knowledge={knowledge} />
      {facts !== undefined && <CustomData facts={facts} />}
    </aside>
  )
}

function KnownFacts({ facts }: { facts: Facts }): ReactElement {
  const { startTime, durationMs, requested, user, hostname, outcome } = facts
  return (
    <dl className={css.facts}>
      <Fact name="Outcome">
        {outcome === 'succeeded' && <StatusMark tone="good" word="succeeded" />}
        {outcome === 'failed' && <StatusMark tone="bad" word="failed" />}
        {(outcome ?? null) === null && <StatusMark tone="waiting" word="not known" />}
      </Fact>
      <Fact name="Project">{facts.project}</Fact>
      <Fact name="Requested">
        {requested?.length ? <code>{requested.join(' ')}</code> : undefined}
      </Fact>
      <Fact name="Branch">{branchOf(facts)}</Fact>
      <Fact name="Duration">
        {typeof durationMs === 'number' ? durationText(durationMs) : undefined}
      </Fact>
      <Fact name="Started">{typeof startTime === 'number' && <RelativeTime at={startTime} />}</Fact>
      <Fact name="Received">
        <RelativeTime at={facts.receivedAt} />
      </Fact>
      <Fact name="User">{user}</Fact>
      <Fact name="Host">{hostname}</Fact>
      <Fact name="Tool">{`${facts.buildTool} ${facts.buildToolVersion}`}</Fact>
      <Fact name="Agent">{facts.agentVersion}</Fact>
      <Fact name="Tags">
        {facts.tags?.length ? [...new Set(facts.tags)].join(', ') : undefined}
      </Fact>
    </dl>
  )
}

function CustomData({ facts: { values = [] } }: { facts: Facts }): ReactElement | null {
  if (values.length === 0) return null
  return (
    <section>
      <h2 className={css.heading}>Custom values</h2>
      <dl className={css.values}>
        {values.map(({ name, value }, index) => (
          // Names may repeat.
          <Fact key={`${index} ${name}`} name={name}>
            <WebLink text={value === '' ? '(empty)' : value} address={value} />
          </Fact>
        ))}
      </dl>
    </section>
  )
}

function BuildLinks({
  buildId,
  knowledge: { facts, header, neighbours },
}: {
  buildId: string
  knowledge: Knowledge
}): ReactElement {
  const { data: config } = useQuery(configQuery(useRequest()))
  const { packages = [] } = usePreferences()
  const server = config?.upstreams.buildData
  const known = { buildId, facts, neighbours, server, ownLinks: header?.links ?? [] }
  const links = [...attestationLinks(buildId, packages), ...buildLinks(known)]
  return (
    <nav aria-label="From this build">
      <h2 className={css.heading}>From here</h2>
      <ul className={css.links}>
        {links.map((link, index) => (
          <li key={`${index} ${link.text}`}>
            {'to' in link ? <Link to={link.to}>{link.text}</Link> : <WebLink {...link} />}
          </li>
        ))}
      </ul>
    </nav>
  )
}
