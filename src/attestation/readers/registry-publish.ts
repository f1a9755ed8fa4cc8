import { fact } from '../facts.ts'
import type { PredicateReader } from '../predicate-reader.ts'

export const npmPublish: PredicateReader = {
  name: 'npm publish',
  types: ['https://github.com/npm/attestation/tree/main/specs/publish/v0.1'],
  proves: 'The registry accepted this very package under this name and version.',
  keys: ['name', 'version', 'registry'],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Package', 'text', 'name'),
      ...fact(predicate, 'Version', 'text', 'version'),
      ...fact(predicate, 'Registry', 'uri', 'registry'),
    ],
    lists: [],
  }),
}

/** Its predicate is empty: that it was signed by the certificate's identity is all it says. */
export const pypiPublish: PredicateReader = {
  name: 'PyPI publish',
  types: ['https://docs.pypi.org/attestations/publish/v1'],
  proves:
    'The distribution was uploaded to PyPI by the identity in the certificate; the predicate itself is empty.',
  keys: [],
  read: () => ({ rows: [], lists: [] }),
}
