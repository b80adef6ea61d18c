import { describe, expect, test } from 'vitest'
import { renewWith, signOutWith } from './renewal-desk.ts'
import { renewalLies, revocationLies } from './renewal-lies.ts'
import type { ToldLie, ToldLies } from './told-lie.ts'

describe('a renewal', () => {
  test.concurrent.each(toRows(renewalLies))('%s', async (_, { lies, settings, says, asked, kept }) => {
    expect(await renewWith(lies, settings)).toEqual({
      outcome: says ?? 'done',
      warnings: [],
      kept: kept ?? (says ? 'as before' : 'renewed'),
      asked: asked ?? 'discovery keys refresh',
      strayed: [],
    })
  })
})

describe('a sign-out forgets the sign-in whatever the provider says', () => {
  test.concurrent.each(toRows(revocationLies))('%s', async (_, { lies, warning, asked }) => {
    expect(await signOutWith(lies)).toEqual({
      outcome: 'done',
      warnings: warning === undefined ? [] : [warning],
      kept: 'nothing',
      asked: asked ?? 'discovery revoke revoke',
      strayed: [],
    })
  })
})

function toRows(lies: ToldLies): [string, ToldLie][] {
  return Object.entries(lies)
}
