import { packagePath } from '../../../protocol/package-address.ts'
import type { PublishQuestion, PublishView } from '../../data/publish/publish-run.ts'

/** How many attestations of the same artifact the last publication of this tab is known to have stored. */
export function storedBefore({ question, stored }: PublishView, asked: PublishQuestion): number {
  const isSame =
    question !== undefined &&
    packagePath(question.address) === packagePath(asked.address) &&
    question.sha256 === asked.sha256 &&
    question.repositoryUrl === asked.repositoryUrl
  return isSame ? stored : 0
}
