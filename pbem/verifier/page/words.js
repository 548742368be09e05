// What only the page says, in English, and in Spanish. A word of `data-word` is a key of this table.

const WORDS = {
  title: ["Check your dice", "Compruebe sus dados"],
  lead: [
    "Give this page the letters of your game. It holds the server's signed log, the closed orders and every "
      + "die against each other, here on your machine. It asks nobody: it cannot reach the network.",
    "Dé a esta página las cartas de su partida. Compara entre sí el registro firmado del servidor, las órdenes "
      + "cerradas y todos los dados, aquí en su equipo. No pregunta a nadie: no puede salir a la red.",
  ],
  letters: ["Your letters", "Sus cartas"],
  drop: [
    "Drop files here: .eml, .mbox, or saved pbemdice.txt",
    "Suelte aquí ficheros: .eml, .mbox o pbemdice.txt guardados",
  ],
  choose: ["Choose files", "Elegir ficheros"],
  folder: ["Choose a folder", "Elegir una carpeta"],
  paste: [
    "Or paste here the source of a letter, or the text of pbemdice.txt",
    "O pegue aquí el código fuente de una carta, o el texto de pbemdice.txt",
  ],
  add: ["Add what I pasted", "Añadir lo pegado"],
  clear: ["Start afresh", "Empezar de nuevo"],
  more: ["Whom you believe: keys that you know from elsewhere", "En quién confía: claves que conoce por otra vía"],
  pin: [
    "The log's key, from your welcome letter or a friend's",
    "La clave del registro, de su carta de bienvenida o de la de un amigo",
  ],
  witnesses: ["Witnesses that you believe, one key a line", "Testigos en quienes confía, una clave por línea"],
  quorum: ["How many of them must agree", "Cuántos de ellos deben coincidir"],
  again: ["Check again", "Comprobar de nuevo"],
  results: ["What was found", "Lo que se encontró"],
  phases: ["Phase by phase", "Fase por fase"],
  checks: ["Check by check", "Comprobación por comprobación"],
  loaded: [
    "Letters with proofs: {}, from files: {}; files without any: {}.",
    "Cartas con pruebas: {}, en ficheros: {}; ficheros sin ninguna: {}.",
  ],
  working: ["Checking…", "Comprobando…"],
  held: ["{} true", "{} ciertos"],
  none_held: ["nothing to check", "nada que comprobar"],
  compare: ["Compare with the other players", "Compare con los demás jugadores"],
  compare_lead: [
    "By another way than this server: whoever has the same line was shown the same log.",
    "Por otro camino que este servidor: a quien tiene la misma línea se le enseñó el mismo registro.",
  ],
  dice: ["Every die", "Todos los dados"],
  number: ["No.", "N.º"],
  label: ["What for", "Para qué"],
  rolled: ["Dice", "Dados"],
  values: ["Rolled", "Salió"],
  right: ["Right?", "¿Es así?"],
  hand: ["One die by hand", "Un dado a mano"],
  hand_lead: [
    "In a terminal, this prints the bytes that the first die comes from: those below the largest multiple of "
      + "the sides count, each gives one more than its remainder.",
    "En una terminal, esto muestra los bytes de los que sale el primer dado: cuentan los menores que el mayor "
      + "múltiplo de las caras, y cada uno da su resto más uno.",
  ],
  not_here: ["What this page does not check", "Lo que esta página no comprueba"],
  fault: ["The page has a fault: {}", "La página tiene un fallo: {}"],
};

/** The names of checks, for those who do not know what they are called. */
const TITLES = {
  form: ["Form", "Forma"],
  keys: ["Keys", "Claves"],
  signature: ["Signature", "Firma"],
  inclusion: ["Inclusion", "Inclusión"],
  chain: ["Chain", "Cadena"],
  consistency: ["Consistency", "Coherencia"],
  recovery: ["Restores", "Restauraciones"],
  close: ["Closing", "Cierre"],
  groups: ["Groups", "Grupos"],
  attempts: ["Attempts", "Intentos"],
  orders: ["Orders", "Órdenes"],
  own: ["Your orders", "Sus órdenes"],
  others: ["The others' orders", "Órdenes ajenas"],
  round: ["Round", "Ronda"],
  beacon: ["Beacon", "Faro"],
  vrf: ["Secret", "Secreto"],
  dice: ["Dice", "Dados"],
  labels: ["Labels", "Etiquetas"],
  manifest: ["List of rolls", "Lista de tiradas"],
  opened: ["Opened", "Revelado"],
  draws: ["Draws", "Sorteos"],
  timing: ["Grade", "Grado"],
};
