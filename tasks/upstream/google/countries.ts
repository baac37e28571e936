/** The alpha-3 code, in small letters as Search Console has it; what is not alpha-2 stays as it is. */
export function countryCode(code: string): string {
  const small = code.toLowerCase()
  return codes.get(small) ?? small
}

/** ISO 3166-1: each country's alpha-2 and alpha-3 code, written together. */
const pairs = `
  adand aeare afafg agatg aiaia alalb amarm aoago aqata ararg asasm ataut auaus awabw axala azaze babih
  bbbrb bdbgd bebel bfbfa bgbgr bhbhr bibdi bjben blblm bmbmu bnbrn bobol bqbes brbra bsbhs btbtn bvbvt
  bwbwa byblr bzblz cacan cccck cdcod cfcaf cgcog chche ciciv ckcok clchl cmcmr cnchn cocol crcri cucub
  cvcpv cwcuw cxcxr cycyp czcze dedeu djdji dkdnk dmdma dodom dzdza ececu eeest egegy ehesh ereri esesp
  eteth fifin fjfji fkflk fmfsm fofro frfra gagab gbgbr gdgrd gegeo gfguf ggggy ghgha gigib glgrl gmgmb
  gngin gpglp gqgnq grgrc gssgs gtgtm gugum gwgnb gyguy hkhkg hmhmd hnhnd hrhrv hthti huhun ididn ieirl
  ilisr imimn inind ioiot iqirq irirn isisl itita jejey jmjam jojor jpjpn keken kgkgz khkhm kikir kmcom
  knkna kpprk krkor kwkwt kycym kzkaz lalao lblbn lclca lilie lklka lrlbr lslso ltltu lulux lvlva lylby
  mamar mcmco mdmda memne mfmaf mgmdg mhmhl mkmkd mlmli mmmmr mnmng momac mpmnp mqmtq mrmrt msmsr mtmlt
  mumus mvmdv mwmwi mxmex mymys mzmoz nanam ncncl nener nfnfk ngnga ninic nlnld nonor npnpl nrnru nuniu
  nznzl omomn papan peper pfpyf pgpng phphl pkpak plpol pmspm pnpcn prpri pspse ptprt pwplw pypry qaqat
  rereu rorou rssrb rurus rwrwa sasau sbslb scsyc sdsdn seswe sgsgp shshn sisvn sjsjm sksvk slsle smsmr
  snsen sosom srsur ssssd ststp svslv sxsxm sysyr szswz tctca tdtcd tfatf tgtgo ththa tjtjk tktkl tltls
  tmtkm tntun toton trtur tttto tvtuv twtwn tztza uaukr uguga umumi ususa uyury uzuzb vavat vcvct veven
  vgvgb vivir vnvnm vuvut wfwlf wswsm yeyem ytmyt zazaf zmzmb zwzwe`

const codes = new Map(
  pairs
    .trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 2), pair.slice(2)]),
)
