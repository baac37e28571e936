/** What an agent fetches pages for: to cite them, because somebody asked just now, or to train models on them. */
export type Purpose = 'search' | 'user' | 'training'

export type AiAgent = {
  /** The product token that robots.txt knows it by. */
  token: string
  operator: string
  purpose: Purpose
  /** How it introduces itself; agents that are probed have one. */
  userAgent?: string
}

const like = (name: string, contact: string) =>
  `Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ${name}; +${contact})`

/** Agents of AI products, and the search engines whose index they answer from. From their operators' documentation, 2026. */
export const aiAgents: readonly AiAgent[] = [
  {
    token: 'OAI-SearchBot',
    operator: 'OpenAI',
    purpose: 'search',
    userAgent: like('OAI-SearchBot/1.3', 'https://openai.com/searchbot'),
  },
  { token: 'Claude-SearchBot', operator: 'Anthropic', purpose: 'search' },
  {
    token: 'PerplexityBot',
    operator: 'Perplexity',
    purpose: 'search',
    userAgent: like('PerplexityBot/1.0', 'https://perplexity.ai/perplexitybot'),
  },
  { token: 'Googlebot', operator: 'Google', purpose: 'search' },
  { token: 'Bingbot', operator: 'Microsoft', purpose: 'search' },
  { token: 'AzureAI-SearchBot', operator: 'Microsoft', purpose: 'search' },
  { token: 'Applebot', operator: 'Apple', purpose: 'search' },
  { token: 'DuckAssistBot', operator: 'DuckDuckGo', purpose: 'search' },
  { token: 'Amazonbot', operator: 'Amazon', purpose: 'search' },
  { token: 'Amzn-SearchBot', operator: 'Amazon', purpose: 'search' },
  { token: 'meta-webindexer', operator: 'Meta', purpose: 'search' },
  { token: 'YouBot', operator: 'You.com', purpose: 'search' },
  { token: 'Bravebot', operator: 'Brave', purpose: 'search' },
  { token: 'PetalBot', operator: 'Huawei', purpose: 'search' },
  { token: 'YandexAdditional', operator: 'Yandex', purpose: 'search' },
  { token: 'ExaSearchBot', operator: 'Exa', purpose: 'search' },
  {
    token: 'ChatGPT-User',
    operator: 'OpenAI',
    purpose: 'user',
    userAgent: like('ChatGPT-User/1.0', 'https://openai.com/bot'),
  },
  { token: 'Claude-User', operator: 'Anthropic', purpose: 'user' },
  { token: 'Perplexity-User', operator: 'Perplexity', purpose: 'user' },
  { token: 'MistralAI-User', operator: 'Mistral', purpose: 'user' },
  { token: 'meta-externalfetcher', operator: 'Meta', purpose: 'user' },
  { token: 'Google-NotebookLM', operator: 'Google', purpose: 'user' },
  { token: 'Gemini-Deep-Research', operator: 'Google', purpose: 'user' },
  { token: 'Google-Agent', operator: 'Google', purpose: 'user' },
  { token: 'Amzn-User', operator: 'Amazon', purpose: 'user' },
  { token: 'Kimi-User', operator: 'Moonshot AI', purpose: 'user' },
  { token: 'kagi-fetcher', operator: 'Kagi', purpose: 'user' },
  {
    token: 'GPTBot',
    operator: 'OpenAI',
    purpose: 'training',
    userAgent: like('GPTBot/1.3', 'https://openai.com/gptbot'),
  },
  {
    token: 'ClaudeBot',
    operator: 'Anthropic',
    purpose: 'training',
    userAgent: like('ClaudeBot/1.0', 'claudebot@anthropic.com'),
  },
  { token: 'anthropic-ai', operator: 'Anthropic', purpose: 'training' },
  { token: 'Google-Extended', operator: 'Google', purpose: 'training' },
  { token: 'Applebot-Extended', operator: 'Apple', purpose: 'training' },
  { token: 'meta-externalagent', operator: 'Meta', purpose: 'training' },
  { token: 'Bytespider', operator: 'ByteDance', purpose: 'training' },
  { token: 'TikTokSpider', operator: 'ByteDance', purpose: 'training' },
  { token: 'CCBot', operator: 'Common Crawl', purpose: 'training' },
  { token: 'cohere-ai', operator: 'Cohere', purpose: 'training' },
  { token: 'cohere-training-data-crawler', operator: 'Cohere', purpose: 'training' },
  { token: 'AI2Bot', operator: 'Ai2', purpose: 'training' },
  { token: 'DeepSeekBot', operator: 'DeepSeek', purpose: 'training' },
  { token: 'PanguBot', operator: 'Huawei', purpose: 'training' },
  { token: 'Diffbot', operator: 'Diffbot', purpose: 'training' },
  { token: 'omgili', operator: 'Webz.io', purpose: 'training' },
  { token: 'ImagesiftBot', operator: 'ImageSift', purpose: 'training' },
  { token: 'Timpibot', operator: 'Timpi', purpose: 'training' },
]

/** A visitor to compare them with. */
export const browserUserAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
