import { describe, expect, test } from 'vitest'
import { renewWith, signOutWith } from './renewal-desk.ts'
import { renewalLies, revocationLies } from './renewal-lies.ts'
import { toRows } from './told-lie.ts'

describe('a renewal whose provider may lie', () => {
  test.concurrent.each(toRows(renewalLies))(
    '%s with "%s"',
    async (_outcome, _name, { lies, settings, says, asked, kept }) => {
      expect(await renewWith(lies, settings)).toEqual({
        outcome: says ?? 'done',
        warnings: [],
        kept: kept ?? (says ? 'as before' : 'renewed'),
        asked: asked ?? 'discovery keys refresh',
        strayed: [],
      })
    },
  )
})

describe('a sign-out whose provider may lie', () => {
  test.concurrent.each(toRows(revocationLies))('%s with "%s"', async (_outcome, _name, { lies, warning, asked }) => {
    expect(await signOutWith(lies)).toEqual({
      outcome: 'done',
      warnings: warning === undefined ? [] : [warning],
      kept: 'nothing',
      asked: asked ?? 'discovery revoke revoke',
      strayed: [],
    })
  })
})
