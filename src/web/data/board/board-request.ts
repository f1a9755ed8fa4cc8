import type { BoardRunRequest } from '../../../protocol/board-run.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { PolicyScanQuestion } from '../scans/policy-scan.ts'

/** The request for these cells; each package and each scan is named once. */
export function boardRequest(
  keys: readonly string[],
  questions: ReadonlyMap<string, PolicyScanQuestion>,
  more: Pick<BoardRunRequest, 'mostInFlight' | 'begunMsAgo'>,
): BoardRunRequest {
  const packages: BoardRunRequest['packages'] = []
  const scans: string[] = []
  const places = new Map<string, number>()
  const placeOf = (name: string, add: () => number): number => {
    const place = places.get(name) ?? add() - 1
    places.set(name, place)
    return place
  }
  const cells = keys.flatMap((key): [number, number][] => {
    const question = questions.get(key)
    if (question === undefined) return []
    const { address, sha256, repositoryUrl, scan } = question
    const one = placeOf(`package ${packagePath(address)} ${sha256} ${repositoryUrl}`, () =>
      packages.push({ address: { ...address }, sha256, repositoryUrl }),
    )
    return [[one, placeOf(`scan ${scan}`, () => scans.push(scan))]]
  })
  return { packages, scans, cells, ...more }
}
