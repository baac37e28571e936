import { defineConfig } from 'vitest/config'

const database = { globalSetup: ['test/support/postgres.ts'] }
const env = { LOG_LEVEL: 'silent', SECRET_KEY: '00'.repeat(32) }

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], env } },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          env,
          ...database,
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          env,
          ...database,
          fileParallelism: false,
          // Alone: its tests watch the clock, and some start whole services.
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
