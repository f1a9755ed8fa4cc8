import type { MigrationProvider } from 'kysely'
import {
  attestationMigration,
  branchIndexMigration,
  builds,
  rollupsMigration,
  searchMigration,
  seedsMigration,
} from './build-migrations.ts'
import { auditLogMigration, historyMigration, insightsMigration } from './history-migrations.ts'
import {
  savedQueriesMigration,
  screensMigration,
  sessionsMigration,
  tokenUsesMigration,
  wallsMigration,
} from './people-migrations.ts'
import {
  alertRoutesMigration,
  assignmentsMigration,
  claimsMigration,
  decisionsMigration,
  deliveriesMigration,
  quarantineMigration,
  runReasonsMigration,
  waiverPersonsMigration,
  waiversMigration,
} from './release-migrations.ts'
import type { Dialect } from './schema.ts'

/** Every change of the schema, in order. One that has been released is never edited. */
export function migrations(dialect: Dialect): MigrationProvider {
  return {
    getMigrations: () =>
      Promise.resolve({
        '0001-builds': builds(dialect),
        '0002-search': searchMigration(dialect),
        '0003-attestations': attestationMigration(dialect),
        '0004-history': historyMigration(dialect),
        '0005-screens': screensMigration,
        '0006-seeds': seedsMigration,
        '0007-sessions': sessionsMigration,
        '0008-audit-log': auditLogMigration(dialect),
        '0009-token-uses': tokenUsesMigration,
        '0010-decisions': decisionsMigration(dialect),
        '0011-assignments': assignmentsMigration,
        '0012-waivers': waiversMigration,
        '0015-run-reasons': runReasonsMigration,
        '0016-deliveries': deliveriesMigration,
        '0017-build-insights': insightsMigration(dialect),
        '0018-quarantine': quarantineMigration,
        '0019-saved-queries': savedQueriesMigration,
        '0020-rollups': rollupsMigration(dialect),
        '0022-alert-routes': alertRoutesMigration,
        '0023-claims': claimsMigration,
        '0024-walls': wallsMigration,
        '0025-waiver-persons': waiverPersonsMigration,
        '0026-branch-index': branchIndexMigration,
      }),
  }
}
