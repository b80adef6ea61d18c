/** The data that the provider keeps for one thing that it has issued. */
type Payload = Record<string, unknown>

/**
 * Creates the memory of one provider, in the form of an adapter of `oidc-provider`; it is never full, unlike the one that comes with it.
 * @param graceSec See `ProviderSettings`.
 */
export function createMemoryStore(graceSec: number) {
  const all = new Map<string, { payload: Payload; expiresAt: number }>()
  const find = (key: string): Payload | undefined => {
    const found = all.get(key)
    return found && found.expiresAt > Date.now() ? found.payload : undefined
  }
  const findBy = (model: string, name: string, value: string) =>
    [...all]
      .filter(([key]) => key.startsWith(`${model}:`))
      .map(([key]) => find(key))
      .find((payload) => payload?.[name] === value)
  const adapter = (model: string) => ({
    upsert: async (id: string, payload: Payload, expiresIn?: number) => {
      const expiresAt = expiresIn === undefined ? Number.POSITIVE_INFINITY : Date.now() + (expiresIn + 60) * 1000
      all.set(`${model}:${id}`, { payload, expiresAt })
    },
    find: async (id: string) => {
      const found = find(`${model}:${id}`)
      const isForgiven = model === 'RefreshToken' && Number(found?.consumed) + graceSec > Date.now() / 1000
      return isForgiven ? { ...found, consumed: undefined } : found
    },
    findByUid: async (uid: string) => findBy(model, 'uid', uid),
    findByUserCode: async (userCode: string) => findBy(model, 'userCode', userCode),
    consume: async (id: string) => {
      const payload = find(`${model}:${id}`)
      if (payload) payload.consumed = Math.floor(Date.now() / 1000)
    },
    destroy: async (id: string) => {
      all.delete(`${model}:${id}`)
    },
    revokeByGrantId: async (grantId: string) => {
      for (const [key, { payload }] of all)
        if (key.startsWith(`${model}:`) && payload.grantId === grantId) all.delete(key)
    },
  })
  return { adapter, clear: () => all.clear() }
}
