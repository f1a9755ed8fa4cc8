import { packageText } from '../protocol/package-reference.ts'
import type { BoardPackage } from './board.ts'

/** A board's packages as such a list: reading it gives the same packages. */
export function writeBoardList(packages: readonly BoardPackage[]): string {
  return packages
    .map(({ address, sha256, repositoryUrl }) => {
      return `${packageText(address)} sha256:${sha256} ${repositoryUrl}\n`
    })
    .join('')
}
