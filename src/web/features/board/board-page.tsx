import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { PolicyServiceScope } from '../../domain/package/policy-service-scope.tsx'
import { Link, useParams } from 'react-router'
import type { Board, BoardPackage, LineMistake } from '../../../policy/board.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import type { ProxyConfig } from '../../../protocol/proxy-config.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { EmptyState, PageHeader } from '../../ui/page.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'
import { LineMistakes } from './board-form.tsx'
import { BoardScreen } from './board-screen.tsx'
import pageCss from '../../ui/page.module.css'
import { useServices } from '../../data/core/services.ts'

/** A board of the configuration, by the name in its address. */
export function BoardPage(): ReactElement {
  return (
    <PolicyServiceScope>
      <ConfiguredBoard />
    </PolicyServiceScope>
  )
}

function ConfiguredBoard(): ReactElement {
  const { name = '' } = useParams()
  const { data, error, refetch } = useQuery(configQuery(useServices().request))
  const found = data?.boards.find((board) => board.name === name)
  const read = useMemo(() => (found === undefined ? undefined : configuredBoard(found)), [found])
  if (read !== undefined) {
    return (
      <BoardScreen id={name} board={read.board}>
        <LineMistakes mistakes={read.mistakes} />
      </BoardScreen>
    )
  }
  if (data === undefined) {
    return (
      <div className={pageCss.page}>
        <PageHeader sentence={`Release board ${name}`} />
        {error === null ? (
          <p role="status">Loading boards…</p>
        ) : (
          <ProblemPanel
            problem={problemWords(error, {
              action: 'load',
              noun: 'the boards',
              server: 'Sightline server',
            })}
            retry={{ label: 'Try again', run: () => void refetch() }}
          />
        )}
      </div>
    )
  }
  return (
    <EmptyState
      title={`Board “${name}” not found.`}
      heading="h1"
      action={<Link to="/board">All boards</Link>}
    >
      <p>
        Boards are configured by your administrator.{' '}
        {data.boards.length === 0
          ? 'No boards are configured. Paste a list of packages instead.'
          : `There are ${data.boards.map((board) => `“${board.name}”`).join(', ')}.`}
      </p>
    </EmptyState>
  )
}

/** A board as the configuration has it; a package that cannot be read is a mistake, not a gap. */
function configuredBoard({
  name,
  title,
  packages,
  scans,
  require,
}: ProxyConfig['boards'][number]): {
  board: Board
  mistakes: readonly LineMistake[]
} {
  const good: BoardPackage[] = []
  const mistakes: LineMistake[] = []
  for (const [index, { purl, sha256, repositoryUrl, scans: own, owner }] of packages.entries()) {
    const read = readPackageReference(purl)
    if (read.ok) {
      good.push({
        address: read.reference.address,
        sha256: sha256.toLowerCase(),
        repositoryUrl,
        scans: own.length === 0 ? undefined : own,
        owner,
      })
    } else {
      const at = { line: index + 1, from: 0, to: purl.length }
      mistakes.push({ ...at, text: purl, sentence: read.mistake })
    }
  }
  return { board: { title: title ?? name, packages: good, scans, require }, mistakes }
}
